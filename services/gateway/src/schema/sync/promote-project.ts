import { daemonUrl } from '@daybook/client/http/request'
import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { makeKey, revokeKey } from '@daybook/postgres/access/manage-keys'
import { projectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import { readFollowed } from '@daybook/sync/follower/followed-projects'
import { promoteWithoutHome, takeOver } from '@daybook/sync/follower/promote'
import { OperationRefusedError } from '../admin/operation-refused.ts'
import { builder } from '../builder.ts'
import { administeredProject, DAYBOOK, requireAdmin, requireRecentLogin } from '../resolve-in-project.ts'
import { refusing, requireFollowed } from './follow-project.ts'

const promoted = builder.objectRef<{ readonly id: string; readonly epoch: number; readonly former: string }>(
  'Promoted',
)

builder.objectType(promoted, {
  description: 'This Daybook is the home of the project now: it gives out its sequences.',
  fields: (t) => ({
    id: t.exposeID('id'),
    epoch: t.exposeInt('epoch', {
      description: 'How many homes the project has had. Every later event is hashed with it.',
    }),
    former: t.exposeString('former', {
      description:
        'Where its home was. It follows this Daybook; if it was lost, it will be told when it comes back.',
    }),
  }),
})

/** How often the old home may be ahead when it is asked, because somebody writes at it meanwhile. */
const TRIES = 50
const BETWEEN_MS = 100

builder.mutationField('promoteProject', (t) =>
  t.field({
    ...DAYBOOK,
    type: builder.errorUnion('PromoteProjectResult', {
      types: [promoted, ValidationError, NotFoundError, OperationRefusedError],
      resolveType: () => 'Promoted',
    }),
    description:
      'Makes this Daybook the home of a project that it follows. The old home agrees, has everything here, and follows this Daybook from then on. With `lost`, it is not asked: what only it has is not here, and becomes a branch there if it comes back.',
    args: {
      id: t.arg.id({ required: true, description: 'The project’s id or name here.' }),
      url: t.arg.string({
        required: true,
        description: 'Where the old home finds this Daybook, such as https://laptop:4000.',
      }),
      lost: t.arg.boolean({
        defaultValue: false,
        description: 'Whether the home is lost, so that it cannot be asked.',
      }),
    },
    resolve: async (_, { id, url, lost }, context) => {
      const db = requireAdmin(context)
      const own = daemonUrl(url)
      if (own === null)
        throw new ValidationError('url', 'must be the address of this Daybook, such as https://laptop:4000')
      await requireRecentLogin(context)
      const { id: projectId } = await administeredProject(context, id)
      const followed = await requireFollowed(db, projectId)
      const scope = projectScope(db, projectId)
      const { id: keyId, key } = await makeKey(db, context.access, {
        name: `former home ${new URL(followed.home.url).host}`,
        projects: [projectId],
        scopes: ['read', 'write', 'follow', 'admin'],
        expiresAt: null,
      })
      const result = await refusing(followed.home.url, async () => {
        if (lost === true) return promoteWithoutHome(scope, { url: own, key })
        for (let tries = 0; tries < TRIES; tries += 1) {
          const taken = await takeOver(scope, context.parts.homeOf(followed), { url: own, key })
          if (taken !== null) return taken
          await pause(BETWEEN_MS)
        }
        throw new OperationRefusedError(
          'REFUSED',
          'The home was written to all the time, and is always ahead: try again in a quiet moment',
        )
      }).catch(async (error: unknown) => {
        // Unless the hand-over goes on as soon as the home answers, nobody has got the key.
        const pending = (await readFollowed(scope))?.own?.key
        if (pending !== key) await revokeKey(db, context.access, keyId)
        throw error
      })
      context.parts.sync?.look()
      return { id: projectId, epoch: result.epoch, former: followed.home.url }
    },
  }),
)

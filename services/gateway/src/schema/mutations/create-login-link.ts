import { DaybookError } from '@daybook/memory/errors'
import { createLoginToken } from '@daybook/postgres/access/console-sessions'
import { builder } from '../builder.ts'
import { NOTHING } from '../needs.ts'

/** How long a link works, in milliseconds. */
const LINK_MS = 5 * 60_000

const loginLink = builder.objectRef<{ readonly path: string; readonly expiresAt: string }>('LoginLink')

builder.objectType(loginLink, {
  description: 'A link that logs a browser in to the web console, once.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description:
        'What follows the address of Daybook: `/console/login#token=…`. The address itself is the one that the browser reaches it by, which a gateway behind a proxy does not know. Keep it secret: whoever opens it first has the rights of the key.',
    }),
    expiresAt: t.field({ type: 'DateTime', resolve: (link) => link.expiresAt }),
  }),
})

builder.mutationField('createLoginLink', (t) =>
  t.field({
    ...NOTHING,
    type: loginLink,
    description:
      'Makes a link that logs a browser in to the web console with the rights of the asking key. It works once, for 5 minutes; of one key the 10 newest work. The session ends when the key does.',
    resolve: async (_, _args, { access, directory }) => {
      // Else a session could renew itself for ever, and its end would mean nothing.
      if (access.sessionId !== undefined)
        throw new DaybookError(
          'FORBIDDEN',
          '"createLoginLink" needs the key itself; this is a session of the console: use "daybook console"',
        )
      const made = await createLoginToken(directory, access, LINK_MS)
      if (made === null)
        throw new DaybookError('UNAUTHENTICATED', 'This API key has just ended: use another one')
      // In the fragment: browsers send that to no server, so it is in no log and no referrer.
      return { path: `/console/login#token=${made.token}`, expiresAt: made.expiresAt }
    },
  }),
)

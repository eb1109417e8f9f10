import { readHead } from '@daybook/journal/read/read'
import { type Follower, listFollowers } from '@daybook/sync/home/followers'
import { builder } from '../builder.ts'
import { ADMIN } from '../needs.ts'
import { administeredProject } from '../projects-of-key.ts'

const follower = builder.objectRef<Follower>('ProjectFollower')

builder.objectType(follower, {
  description: 'A Daybook that follows a project of this one.',
  fields: (t) => ({
    id: t.id({ resolve: ({ followerId }) => followerId }),
    name: t.exposeString('name', {
      description: 'As it calls itself, such as its machine’s name. Nothing proves it.',
    }),
    keyId: t.exposeID('keyId', {
      description: 'The key with which it follows: revoke it, and it follows no more.',
    }),
    sequence: t.exposeInt('sequence', {
      description: 'How far it may be: the last event that was sent to it.',
    }),
    lagEvents: t.int({
      resolve: async ({ sequence }, _, { project }) => Math.max(0, (await readHead(project)) - sequence),
      description: 'How many events have not been sent to it.',
    }),
    seenAt: t.field({ type: 'DateTime', resolve: ({ seenAt }) => seenAt, description: 'Noted every 5 s.' }),
  }),
})

builder.queryField('followers', (t) =>
  t.field({
    ...ADMIN,
    type: [follower],
    description: 'Who follows the request’s project, the last seen first.',
    resolve: async (_, __, context) => {
      await administeredProject(context, context.project.projectId)
      return listFollowers(context.project)
    },
  }),
)

import { readProjects } from '@daybook/postgres/access/projects'
import { bindToProject } from '@daybook/postgres/connect'
import type { ConflictRule } from '@daybook/sync/follower/followed-projects'
import { type FollowedStatus, listStatus, type ShownState } from '@daybook/sync/follower/status'
import { builder } from '../builder.ts'
import { ADMIN } from '../needs.ts'
import { administered } from '../projects-of-key.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { project } from '../types/project.ts'

/** The enum `ConflictRule`. */
export const conflictRule = enumOfWords<ConflictRule>('ConflictRule', {
  LATEST_WINS: 'A change made offline is made on top of the other one; both are in the history.',
  ASK: 'It waits until a person decides.',
})

const shownState = enumOfWords<ShownState>('SyncState', {
  COPYING: 'The home’s events are being copied.',
  CONNECTED: 'Everything that the home has is here.',
  OFFLINE: 'The home does not answer. Reads and searches go on, and writes go into the branch.',
  REFUSED: 'The home refuses this Daybook, or cannot be followed as it is. Nothing can be written.',
  MOVED:
    'The project has its home elsewhere now (`movedTo`). The former home passes everything on, as long as it is there.',
  PAUSED: 'Nothing is copied or sent until it is resumed. `problem` says why, if nobody asked for that.',
  STOPPED: 'No process follows it: start the sync service.',
})

/** The type `FollowedProject`. */
export const followedProject = builder.objectRef<FollowedStatus>('FollowedProject')

builder.objectType(followedProject, {
  description: 'A project whose home is another Daybook, which alone gives out its sequences.',
  fields: (t) => ({
    project: t.field({
      type: project,
      resolve: async ({ projectId }, _, { directory }) => {
        const [found] = await readProjects(bindToProject(directory, projectId), [projectId])
        if (found === undefined) throw new Error(`the project ${projectId} is gone`)
        return found
      },
    }),
    homeUrl: t.string({ resolve: ({ home }) => home.url }),
    state: t.field({ type: shownState, resolve: ({ shown }) => shown }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why it is not connected, or was paused, as a sentence.',
    }),
    rule: t.field({
      type: conflictRule,
      resolve: ({ rule }) => rule,
      description: 'How conflicts are resolved.',
    }),
    epoch: t.exposeInt('epoch', { description: 'How many homes the project has had.' }),
    copied: t.int({
      resolve: ({ copied }) => copied.sequence,
      description: 'The last of the home’s events that is here.',
    }),
    homeSequence: t.exposeInt('homeSequence', {
      description: 'How far the home was when it was last heard.',
    }),
    lagEvents: t.exposeInt('lagEvents', {
      description: 'How many of the home’s events are missing here, as far as is known.',
    }),
    lagSeconds: t.exposeFloat('lagSeconds', {
      nullable: true,
      description:
        'For how long something may have been missing here; 0 while connected, null if it was never complete.',
    }),
    waiting: t.exposeInt('waiting', {
      description: 'Commands in the branch: those whose events have not come from the home yet.',
    }),
    waitingSince: t.field({ type: 'DateTime', nullable: true, resolve: ({ waitingSince }) => waitingSince }),
    openConflicts: t.exposeInt('openConflicts', { description: 'Conflicts that wait for a person.' }),
    movedTo: t.exposeString('movedTo', {
      nullable: true,
      description: 'Where the project has its home now, if it is not where it was followed.',
    }),
    followedSince: t.field({ type: 'DateTime', resolve: ({ followedSince }) => followedSince }),
  }),
})

builder.queryField('followedProjects', (t) =>
  t.field({
    ...ADMIN,
    type: [followedProject],
    description: 'The projects that follow another Daybook, as far as the key administers them.',
    resolve: (_, __, context) => listStatus(context.directory, administered(context)),
  }),
)

import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import { counted, duration, shellWord, spoken } from '../output/print.ts'
import { type Followed, RULES } from './sync-documents.ts'

/** A followed project as text: where it stands, what waits, and what to do. @param now milliseconds since 1970 */
export function describeFollowed(one: Followed, now: number): string {
  const { project, homeUrl, epoch, rule } = one
  return [
    `${safeLine(project.name)}, whose home is ${safeLine(homeUrl)}${epoch > 1 ? ` (epoch ${epoch})` : ''}`,
    `  ${describeState(one)}`,
    `  ${describeLag(one)}`,
    `  ${describeBranch(one, now)}`,
    `  ${describeConflicts(one)}; the rule: ${RULES[rule]}`,
    ...stepsFor(one).map((step) => `  → ${step}`),
  ].join('\n')
}

/** The state in words, in one line. */
export function describeState({ state, problem, movedTo }: Followed): string {
  const why = problem === null ? '' : `: ${safeLine(problem)}`
  switch (state) {
    case 'COPYING':
      return "copying: the home's events are on their way"
    case 'CONNECTED':
      return 'connected: everything that the home has is here, and writes go to it'
    case 'OFFLINE':
      return `offline: reads and searches go on, writes go into the branch${why}`
    case 'REFUSED':
      return `refused: it can be read and searched, and not written${why}`
    case 'MOVED':
      return `moved: the project has its home elsewhere now, at ${safeLine(movedTo ?? '')}; the former one passes everything on`
    case 'PAUSED':
      return `paused: nothing is copied or sent, writes go into the branch${why}`
    case 'STOPPED':
      return 'stopped: no process follows it'
  }
}

function describeLag({ copied, homeSequence, lagEvents, lagSeconds }: Followed): string {
  const since =
    lagSeconds === null
      ? ', never complete so far'
      : lagSeconds > 0
        ? `, complete ${duration(lagSeconds)} ago`
        : ''
  const known = homeSequence === 0 && copied === 0 ? '' : ` of ${grouped(Math.max(homeSequence, copied))}`
  return `events: ${grouped(copied)}${known}  lag: ${counted(lagEvents, 'event')}${since}`
}

function describeBranch({ waiting, waitingSince }: Followed, now: number): string {
  if (waiting === 0) return 'branch: nothing waits for the home'
  const since = waitingSince === null ? '' : `, the oldest given ${age(waitingSince, now)}`
  return `branch: ${counted(waiting, 'change')} ${waiting === 1 ? 'waits' : 'wait'} for the home${since}`
}

const describeConflicts = ({ openConflicts }: Followed): string =>
  openConflicts === 0
    ? 'conflicts: none waits'
    : `conflicts: ${counted(openConflicts, 'waits', 'wait')} for a decision`

/** What to do about the state; empty if there is nothing to do. */
export function stepsFor({ state, openConflicts, project, homeUrl, movedTo }: Followed): string[] {
  const of = ` --project ${shellWord(project.name)}`
  const repoint = (url: string) => `daybook sync repoint ${shellWord(url)}${of}`
  const byState: Partial<Record<Followed['state'], readonly string[]>> = {
    REFUSED: [`With another key of the home:  ${repoint(homeUrl)}`],
    MOVED: [`Follow it where it is now:  ${repoint(movedTo ?? '<url>')}`],
    PAUSED: [`Go on:  daybook sync resume${of}`],
    STOPPED: ['Start the daemon, or on a cluster the sync service:  npm run start:sync'],
    OFFLINE: [
      `It goes on by itself when the home answers. Is the home lost for good?  daybook sync promote --lost${of}`,
    ],
  }
  return [
    ...(byState[state] ?? []),
    ...(openConflicts > 0 ? [`Decide conflicts:  daybook sync conflicts${of}`] : []),
  ]
}

/** All followed projects in one line, for `daybook status`; null if there is none. */
export function summarizeFollowed(followed: readonly Followed[]): string | null {
  if (followed.length === 0) return null
  const states = new Map<Followed['state'], number>()
  for (const { state } of followed) states.set(state, (states.get(state) ?? 0) + 1)
  const standing =
    followed.length === 1
      ? [...states.keys()].map(spoken).join('')
      : [...states].map(([state, those]) => `${those} ${spoken(state)}`).join(', ')
  const sum = (field: 'waiting' | 'openConflicts') => followed.reduce((all, one) => all + one[field], 0)
  const [waiting, conflicts] = [sum('waiting'), sum('openConflicts')]
  return [
    `Sync: ${counted(followed.length, 'project is', 'projects are')} followed: ${standing}`,
    ...(waiting > 0 ? [`${counted(waiting, 'change waits', 'changes wait')} for the home`] : []),
    ...(conflicts > 0 ? [`${counted(conflicts, 'conflict waits', 'conflicts wait')} for a decision`] : []),
  ].join('; ')
}

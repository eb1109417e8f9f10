import { counted } from '../output/counted.ts'
import { spoken } from '../output/spoken.ts'
import type { Followed } from './sync-documents.ts'

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

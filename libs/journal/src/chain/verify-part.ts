import type { ProjectScope } from '@daybook/postgres/project-scope'
import { createChainCheck, type JournalProblem, missing } from './check-chain.ts'
import { readChain, readHash } from './read-chain.ts'

/**
 * Checks a stretch of a project's journal against its hash chain: after `after`, up to `upTo`. The stretch
 * must exist. It is read in one go, so keep it short; `verifyJournal` checks a whole journal.
 */
export async function verifyPart(
  scope: ProjectScope,
  after: number,
  upTo: number,
): Promise<JournalProblem[]> {
  const hash = await readHash(scope, after)
  if (hash === null) return [missing(after, after)]
  const chain = createChainCheck({ sequence: after, hash })
  const problems: JournalProblem[] = []
  for (const event of await readChain(scope, { after, upTo, limit: upTo - after }))
    problems.push(...chain.next(event))
  const last = chain.place().sequence
  return last < upTo ? [...problems, missing(last + 1, upTo)] : problems
}

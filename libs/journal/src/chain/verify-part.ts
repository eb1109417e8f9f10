import type { ProjectScope } from '@daybook/postgres/project-scope'
import { createChainCheck, type JournalProblem, missing } from './check-chain.ts'
import { readChain, readHash } from './read-chain.ts'

/**
 * Checks a stretch of a project's journal, which must be there, against its hash chain: after `after` and up to `upTo`. It is read
 * at once, so it should be short; `verifyJournal` checks all of it.
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

import type { JournalProblem } from '@daybook/journal/chain/check-chain'
import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import type { VerifiedJournal } from '@daybook/operations/operation-types'
import type { OperationHandler } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { readCheckedProjects } from '../projects.ts'

/** The most problems listed per project; all are counted. */
const NAMED = 100

/**
 * Checks each project's journal against its hash chain. It changes nothing, so after a crash it simply starts
 * over.
 */
export function handleVerifyJournal(db: Database): OperationHandler<'verify-journal'> {
  return {
    async run(work) {
      const { projectId, noted } = work.operation.options
      const known = await readCheckedProjects(db, projectId)
      await work.report({ phase: 'checking', done: 0, total: known.reduce((sum, { head }) => sum + head, 0) })
      const projects: VerifiedJournal[] = []
      let behind = 0
      for (const { scope, id, name, head } of known) {
        const problems: JournalProblem[] = []
        const {
          sequence,
          hash,
          events,
          erased,
          problems: count,
        } = await verifyJournal(scope, {
          signal: work.signal,
          noted: noted ?? undefined,
          onProblem: (problem) => void (problems.length < NAMED && problems.push(problem)),
          onProgress: async (place) => work.report({ done: behind + place.sequence }),
        })
        behind += head
        projects.push({
          projectId: id,
          project: name,
          sequence,
          head: hash,
          events,
          erased,
          count,
          problems,
        })
      }
      return { clean: projects.every(({ count }) => count === 0), projects }
    },
  }
}

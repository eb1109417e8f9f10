import {
  type MinimumVersions,
  READER_VERSION,
  readerProblem,
  readMinimum,
  WRITER_VERSION,
  writerProblem,
} from '@daybook/postgres/compatibility'
import { evenIfRefused } from '@daybook/postgres/connect'
import { type CheckedParts, type Finding, failed, ok } from './check.ts'

/** The advice for a process that is older than its database. */
export const UPGRADE = 'Upgrade this process and start it again (docs/operations.md, Upgrading)'

/** Checks that the database lets this version read from it and append to it. */
export async function checkCompatibility({ db }: CheckedParts): Promise<Finding> {
  return judgeCompatibility(await readMinimum(evenIfRefused(db)))
}

/** Judges the versions that the database demands. @param minimum null if it demands none */
export function judgeCompatibility(minimum: MinimumVersions | null): Finding {
  const problem = readerProblem(minimum) ?? writerProblem(minimum?.writer ?? 1)
  if (problem !== null) return failed(problem.message, UPGRADE)
  return ok(
    `It reads as version ${READER_VERSION} and appends as version ${WRITER_VERSION}, which the database takes`,
  )
}

import type { JournalCursor } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { readHash } from '../chain/read-chain.ts'

/** The cursor of a sequence that the journal has. */
export async function placeAt(scope: ProjectScope, sequence: number): Promise<JournalCursor> {
  const hash = await readHash(scope, sequence)
  if (hash === null) throw new Error(`the journal has no event ${sequence}`)
  return { sequence, hash }
}

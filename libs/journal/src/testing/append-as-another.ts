import { newSalts } from '@daybook/memory/event-hash'
import { type JournalCursor, SCHEMA_VERSION } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { lockProject } from '../append/batch-context.ts'
import { writeEvents } from '../append/commit-batch.ts'
import { chainEvents } from '../chain/check-chain.ts'
import { NOBODY } from './requests.ts'

/** An event as another version of Daybook writes it. */
export interface ForeignEvent {
  readonly type: string
  readonly data: unknown
  readonly schemaVersion?: number
  readonly memoryId?: string
  readonly version?: number
}

/** Appends an event in the form of another version of Daybook, sound in every other way. */
export const appendAsAnother = ({ db, projectId }: ProjectScope, event: ForeignEvent) =>
  db.transaction().execute((trx) => appendWithin(trx, projectId, event))

/** The same in a transaction that goes on. */
export async function appendWithin(
  trx: DatabaseTransaction,
  projectId: string,
  { schemaVersion = SCHEMA_VERSION, memoryId = newId(), version = 1, ...event }: ForeignEvent,
): Promise<JournalCursor & { readonly memoryId: string }> {
  const head = await lockProject(trx, projectId)
  const sequence = head.sequence + 1
  const facts = { projectId, sequence, eventId: newId(), recordedAt: head.now, ...NOBODY }
  const unchained = {
    ...facts,
    ...event,
    memoryId,
    version,
    schemaVersion,
    dataSalt: newSalts(1)[0] as string,
  }
  const rows = chainEvents(head.hash, [unchained])
  const hash = rows[0]?.hash as string
  await writeEvents(trx, projectId, rows, new Map(), { sequence, hash, recordedAt: head.now })
  return { sequence, hash, memoryId }
}

import { requeueLostTexts } from '@daybook/embeddings/store'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { appliedStates } from '@daybook/projection/apply/applied-memories'
import type { RewriteOptions } from '@daybook/projection/verify/verifiable'
import { orNull } from '../client/errors.ts'
import { exportDocuments, IDS_PER_FILTER, ofMemories, ofProject } from '../verify/export-documents.ts'
import type { LeasedProject } from './with-project-lease.ts'
import { recordWritten, writeMemories } from './write-memories.ts'
import type { GenerationWriter } from './writer.ts'

/** What remains to be recorded in the transaction that releases the project. */
export type Record = (trx: DatabaseTransaction) => Promise<void>

/**
 * Rewrites memories as of a sequence in the journal, and deletes their other documents: all of them if the
 * journal has no event of the memory up to there.
 */
export async function writeAsOf(
  writer: GenerationWriter,
  held: LeasedProject,
  memoryIds: readonly string[],
  { sequence, ...options }: { readonly sequence: number } & RewriteOptions,
): Promise<Record> {
  const { scope } = held
  const memories = await appliedStates(scope, writer.place, {
    ...options,
    memoryIds,
    position: sequence,
  })
  const written = await writeMemories(writer, held, memories)
  // Surplus documents are deleted afterwards, so that no memory is missing for a moment.
  const wanted = new Set(written.flatMap(({ documentIds }) => documentIds))
  for (let from = 0; from < memoryIds.length; from += IDS_PER_FILTER) {
    const page = memoryIds.slice(from, from + IDS_PER_FILTER)
    const filter = ofMemories(scope.projectId, page)
    for (const { id } of await exportDocuments(writer.client, writer.collection, filter, ['id']))
      if (!wanted.has(id)) await held.write(page, () => deleteDocument(writer, id))
  }
  return async (trx) => {
    const lacking = written.flatMap((one) => one.lacking ?? [])
    await requeueLostTexts(trx, { projectId: scope.projectId, modelId: writer.generation.modelId }, lacking)
    await recordWritten(trx, writer, scope.projectId, written)
  }
}

/**
 * Takes a project's documents back to a cursor: memories that changed after it become what they were then.
 */
export async function takeBack(
  writer: GenerationWriter,
  held: LeasedProject,
  { sequence }: JournalCursor,
): Promise<Record> {
  const { client, collection } = writer
  const filter = `${ofProject(held.scope.projectId)} && sequence:>${sequence}`
  const documents = await exportDocuments(client, collection, filter, ['memory_id'])
  const memoryIds = [...new Set(documents.map(({ memory_id }) => String(memory_id)))]
  const records: Record[] = []
  for (let from = 0; from < memoryIds.length; from += IDS_PER_FILTER)
    records.push(await writeAsOf(writer, held, memoryIds.slice(from, from + IDS_PER_FILTER), { sequence }))
  return async (trx) => {
    for (const record of records) await record(trx)
  }
}

async function deleteDocument({ client, collection }: GenerationWriter, id: string): Promise<void> {
  await orNull(client.request((typesense) => typesense.collections(collection).documents(id).delete()))
}

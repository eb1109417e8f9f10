import { requeueLostTexts } from '@daybook/embeddings/store'
import type { JournalPlace } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { RepostOptions } from '@daybook/projection/verify/verifiable'
import { appliedMemories } from './applied-memories.ts'
import { isMissing } from '../client/errors.ts'
import { exportDocuments, IDS_PER_FILTER, ofMemories, ofProject } from '../verify/export-documents.ts'
import { postMemories, recordPosted } from './write-memories.ts'
import type { Posting } from './writer.ts'
import type { HeldProject } from './with-project-lease.ts'

/** What is still to be recorded in the transaction that gives the project free. */
export type Record = (trx: DatabaseTransaction) => Promise<void>

/**
 * Posts memories anew as the journal has them at a sequence, and deletes what documents they have besides: all, where the
 * journal has no event of them up to there.
 */
export async function postAsOf(
  posting: Posting,
  held: HeldProject,
  memoryIds: readonly string[],
  { sequence, ...options }: { readonly sequence: number } & RepostOptions,
): Promise<Record> {
  const { scope } = held
  const memories = await appliedMemories(scope, posting.place, {
    ...options,
    memoryIds,
    position: sequence,
  })
  const posted = await postMemories(posting, held, memories)
  // Only then goes what should not be there, so that no memory is missing for a moment.
  const wanted = new Set(posted.flatMap(({ documentIds }) => documentIds))
  for (let from = 0; from < memoryIds.length; from += IDS_PER_FILTER) {
    const page = memoryIds.slice(from, from + IDS_PER_FILTER)
    const filter = ofMemories(scope.projectId, page)
    for (const { id } of await exportDocuments(posting.client, posting.collection, filter, ['id']))
      if (!wanted.has(id)) await held.write(page, () => deleteDocument(posting, id))
  }
  return async (trx) => {
    const lacking = posted.flatMap((one) => one.lacking ?? [])
    await requeueLostTexts(trx, { projectId: scope.projectId, modelId: posting.generation.modelId }, lacking)
    await recordPosted(trx, posting, scope.projectId, posted)
  }
}

/** Takes a project's documents back to a place: those of memories that were changed after it become what they were then. */
export async function takeBack(
  posting: Posting,
  held: HeldProject,
  { sequence }: JournalPlace,
): Promise<Record> {
  const { client, collection } = posting
  const filter = `${ofProject(held.scope.projectId)} && sequence:>${sequence}`
  const documents = await exportDocuments(client, collection, filter, ['memory_id'])
  const memoryIds = [...new Set(documents.map(({ memory_id }) => String(memory_id)))]
  const records: Record[] = []
  for (let from = 0; from < memoryIds.length; from += IDS_PER_FILTER)
    records.push(await postAsOf(posting, held, memoryIds.slice(from, from + IDS_PER_FILTER), { sequence }))
  return async (trx) => {
    for (const record of records) await record(trx)
  }
}

async function deleteDocument({ client, collection }: Posting, id: string): Promise<void> {
  try {
    await client.request((typesense) => typesense.collections(collection).documents(id).delete())
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

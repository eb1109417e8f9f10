import { queueTexts, readStoredVectors } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { IDS_PER_FILTER, ofMemories } from '../verify/compare-memories.ts'
import { documentsOf, type MemoryDocument } from './document.ts'
import { ImportRefusedError, importDocuments } from './import-documents.ts'
import type { LeasedProject } from './with-project-lease.ts'
import { type GenerationWriter, readWords } from './writer.ts'

/** A memory whose documents have been written. */
interface WrittenMemory {
  readonly memoryId: string
  /** The ids of the documents that it should have. */
  readonly documentIds: readonly string[]
  /** The text whose vector its documents lack; null if they lack none. */
  readonly lacking: { readonly hash: Buffer; readonly text: string } | null
}

/**
 * Writes the documents of memories with the vectors that the embedding store has, and deletes chunks that
 * they no longer have.
 * @param erased memories that lose all their documents, unless they are in `memories` too
 * @throws ImportRefusedError if Typesense refused any document; the others are written
 */
export async function writeMemories(
  writer: GenerationWriter,
  held: LeasedProject,
  memories: readonly Memory[],
  erased: readonly string[] = [],
): Promise<WrittenMemory[]> {
  const { projectId } = held.scope
  const texts = new Map(
    memories
      .filter(({ state }) => state.forgottenAt === null)
      .map(({ state }) => {
        const text = embeddedTextOf(state)
        return [state.id, { hash: contentHash(text), text }]
      }),
  )
  const hashes = new Set([...texts.values()].map(({ hash }) => hash.toString('hex')))
  const vectors = await readStoredVectors(held.scope, writer.generation.modelId, [...hashes])
  const lexemes = await readWords(
    held.scope,
    memories.map(({ state }) => lexicalText(state)),
  )

  const chunksKept = new Map(erased.map((memoryId) => [memoryId, 0]))
  const written: WrittenMemory[] = erased.map((memoryId) => ({ memoryId, documentIds: [], lacking: null }))
  const documents: MemoryDocument[] = []
  for (const memory of memories) {
    const { id } = memory.state
    const text = texts.get(id) ?? null
    const chunks = text === null ? [] : (vectors.get(text.hash.toString('hex')) ?? [])
    const ofMemory = documentsOf(projectId, memory, { chunks, lexemes })
    documents.push(...ofMemory)
    written.push({
      memoryId: id,
      documentIds: ofMemory.map((document) => document.id),
      lacking: chunks.length > 0 ? null : text,
    })
    // A first version has no earlier documents to delete.
    if (memory.version > 1) chunksKept.set(id, ofMemory.length)
  }
  const refused = await importDocuments(writer, held, 'upsert', documents, ({ memory_id }) =>
    String(memory_id),
  )
  if (refused.length > 0) throw new ImportRefusedError(refused, documents.length)
  await removeFurtherChunks(writer, held, chunksKept)
  return written
}

/** Deletes documents beyond the number that each memory has now. */
async function removeFurtherChunks(
  { client, collection }: GenerationWriter,
  held: LeasedProject,
  chunksKept: ReadonlyMap<string, number>,
): Promise<void> {
  for (const kept of new Set(chunksKept.values())) {
    const ids = [...chunksKept].filter(([, chunks]) => chunks === kept).map(([memoryId]) => memoryId)
    for (let from = 0; from < ids.length; from += IDS_PER_FILTER) {
      const page = ids.slice(from, from + IDS_PER_FILTER)
      const filter = `${ofMemories(held.scope.projectId, page)} && chunk:>=${kept}`
      await held.write(page, () =>
        client.request((typesense) =>
          typesense.collections(collection).documents().delete({ filter_by: filter }),
        ),
      )
    }
  }
}

/**
 * Queues the texts that lack vectors, and records which memories wait for them. Call it in the transaction
 * that records the write.
 */
export async function recordWritten(
  trx: DatabaseTransaction,
  { generation }: GenerationWriter,
  projectId: string,
  written: readonly WrittenMemory[],
): Promise<void> {
  const lacking = written.flatMap(({ memoryId, lacking: text }) =>
    text === null ? [] : [{ memoryId, ...text }],
  )
  const complete = written.filter((one) => one.lacking === null).map(({ memoryId }) => memoryId)
  await queueTexts(trx, { projectId, modelId: generation.modelId }, lacking)
  if (lacking.length > 0) {
    const rows = lacking.map(({ memoryId, hash }) => ({ memory_id: memoryId, hash: hash.toString('hex') }))
    await sql`
      insert into typesense_pending_vectors (generation, project_id, memory_id, content_hash)
      select ${generation.generation}, ${projectId}, memory_id, decode(hash, 'hex')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(memory_id uuid, hash text)
      on conflict (generation, project_id, memory_id) do update set content_hash = excluded.content_hash`.execute(
      trx,
    )
  }
  if (complete.length > 0)
    await sql`
      delete from typesense_pending_vectors
      where generation = ${generation.generation} and project_id = ${projectId}
        and memory_id = any(${complete}::uuid[])`.execute(trx)
}

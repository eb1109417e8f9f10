import { leaseTexts, storeVectors } from '@daybook/embeddings/store'
import { bytesPerToken } from '@daybook/embeddings/token-bits/token-bits'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import { fillVectors } from '@daybook/pgvector/write/write-vectors'
import type { Database } from '@daybook/postgres/connect'
import { type RawBuilder, sql } from 'kysely'
import { createRandom, type Random } from '../src/support/random.ts'
import { unitVector } from './generated-texts.ts'

const BATCH = 500

/**
 * Real vectors would take hours to compute. Random directions are hard enough for the index: nothing is near
 * anything.
 *
 * @param random one for all calls: equal vectors share a place in an HNSW index
 */
export async function fillWithRandomVectors(
  db: Database,
  { generation, tables }: LiveReadModel,
  progress: (done: number) => void = () => {},
  random = createRandom(384),
): Promise<void> {
  for (let done = 0; ; ) {
    const texts = await leaseTexts(db, generation.modelId, { limit: BATCH, leaseSeconds: 3_600 })
    if (texts.length === 0) return
    const embedded = texts.map((text) => ({
      ...text,
      chunks: [
        {
          start: 0,
          end: text.text.length,
          vector: unitVector(random, generation.dimension),
          tokenBits: randomBits(random, text.text.split(' ').length, generation.dimension),
        },
      ],
    }))
    await storeVectors(db, generation.modelId, embedded)
    await fillVectors(
      db,
      tables,
      generation,
      texts.map(({ hash }) => hash),
    )
    done += texts.length
    progress(done)
  }
}

/** As many tokens as words have on average: MiniLM cuts every third word into two. */
const TOKENS_PER_WORD = 1.3

function randomBits(random: Random, words: number, dimension: number): Uint8Array {
  const tokens = Math.round(words * TOKENS_PER_WORD)
  return Uint8Array.from({ length: tokens * bytesPerToken(dimension) }, () => random.between(0, 255))
}

/**
 * Drops the HNSW index: building it after the load takes one minute, growing it by 50,000 vectors ten.
 * @returns a function that builds the same index again
 */
export async function dropVectorIndex(db: Database, { tables }: LiveReadModel): Promise<() => Promise<void>> {
  const { rows } = await sql<{ indexname: string; indexdef: string }>`
    select indexname, indexdef from pg_indexes
    where schemaname = ${tables.schema} and tablename = 'vectors' and indexdef like '% USING hnsw %'`.execute(
    db,
  )
  const [index] = rows
  if (index === undefined) throw new Error('the vectors have no HNSW index')
  const asOwner = (statement: RawBuilder<unknown>) =>
    db.transaction().execute(async (trx) => {
      await sql`set local role none`.execute(trx)
      await sql`set local maintenance_work_mem = '400MB'`.execute(trx)
      await statement.execute(trx)
    })
  await asOwner(sql`drop index ${sql.id(tables.schema, index.indexname)}`)
  return () => asOwner(sql.raw(index.indexdef))
}

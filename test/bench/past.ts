import type { Embedder } from '@daybook/embeddings/embedder'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { sequenceAt } from '@daybook/journal/read/read'
import type { Command } from '@daybook/memory/commands'
import {
  type ListedMemory,
  listMemories,
  listMemoriesAsOf,
  type PastMoment,
} from '@daybook/pgvector/read/read-memories'
import { search } from '@daybook/search/search'
import type { SearchMode, SearchRequest } from '@daybook/search/search-request'
import { sql } from 'kysely'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { fillWithRandomVectors } from './corpus-vectors.ts'
import { onEachDatabase } from './databases.ts'
import { createVocabulary, sentence, unitVector } from './generated-texts.ts'
import { applyJournal, buildSearchCorpus, type SearchCorpus } from './search-corpus.ts'

/**
 * What it costs to read and search the past, against the present: of the memories 10 % were revised and 2 %
 * forgotten after the moment.
 */
export const name = 'past'
export const description =
  'lists and searches as of a moment and across versions, against the present, with 10,000 memories (--large: 100,000 on native Postgres)'

const MEMORIES = 10_000
const LARGE = 100_000
const QUERIES = 40
const GOAL = 5

export async function run({ large }: BenchOptions): Promise<void> {
  await onEachDatabase(async ({ name: where, address }) => {
    if (large && address.maxConnections === 1) return
    const memories = large ? LARGE : MEMORIES
    const corpus = await buildSearchCorpus(address, memories)
    console.log(`${memories} memories, ${where}`)
    await measure(corpus).finally(corpus.close)
  })
}

/** Embeds queries only, as random directions: what a real model takes is not measured here. */
function randomEmbedder(corpus: SearchCorpus): Embedder {
  const { modelId, dimension } = corpus.readModel.generation
  const random = createRandom(3)
  const no = () => Promise.reject(new Error('this embedder embeds queries only'))
  return {
    modelId,
    dimension,
    maxTokens: 256,
    chunk: no,
    embed: no,
    embedQuery: async () => ({ vector: unitVector(random, dimension), tokens: null }),
    close: async () => {},
  }
}

/** Revises every tenth memory and forgets every fiftieth. @returns the moment before */
async function change({ db, scope, readModel }: SearchCorpus): Promise<PastMoment> {
  const moment = new Date().toISOString()
  const sequence = await sequenceAt(scope, moment)
  const bytes = await bytesOf(scope)
  const random = createRandom(8)
  const word = createVocabulary(createRandom(50))
  const { rows } = await sql<{ memory_id: string }>`
    select memory_id from ${readModel.tables.memories} where project_id = ${scope.projectId} and number % 10 = 0`.execute(
    db,
  )
  const commands = rows.flatMap(({ memory_id: id }, index): Command[] => [
    {
      type: 'revise',
      id,
      input: { content: { kind: 'note', fields: { text: sentence(random, word, 10, 60) } } },
    },
    ...(index % 5 === 0 ? [{ type: 'forget' as const, id }] : []),
  ])
  const writer = createJournalWriter(() => {})
  const metadata = { actor: 'bench', correlationId: null, causationId: null }
  for (let from = 0; from < commands.length; from += 500)
    await writer.appendMany(
      scope,
      commands.slice(from, from + 500).map((command) => ({ command, metadata })),
    )
  await applyJournal(scope, readModel.generation)
  const changed = await bytesOf(scope)
  await fillWithRandomVectors(db, readModel)
  await sql`analyze`.execute(db)
  console.log(
    `  a revision of a text adds ${((changed.past - bytes.past) / rows.length).toFixed(0)} bytes for searches of the past, beside its vector in the embedding store`,
  )
  return { sequence, moment }

  async function bytesOf({ projectId }: typeof scope): Promise<{ past: number }> {
    const { versions, formerPostings } = readModel.tables
    const found = await sql<{ past: number }>`
      select (select coalesce(sum(pg_column_size(lexemes)), 0) from ${versions} where project_id = ${projectId})
        + (select coalesce(sum(pg_column_size(p.*)), 0) from ${formerPostings} p where project_id = ${projectId}) as past`.execute(
      db,
    )
    return found.rows[0] ?? { past: 0 }
  }
}

async function measure(corpus: SearchCorpus): Promise<void> {
  const past = await change(corpus)
  const { scope, readModel } = corpus
  const embedder = randomEmbedder(corpus)
  const parts = { scope, readModel, embedders: fixedEmbedders([embedder], embedder) }
  const word = createVocabulary(createRandom(50))
  const random = createRandom(51)
  const queries = Array.from({ length: QUERIES }, () => `${sentence(random, word, 3, 11)} notebook`)
  const find = (mode: SearchMode, when: SearchRequest['past']) => async (query: string) => {
    const { degraded } = await search(parts, { query, mode, filter: {}, limit: 10, floor: false, past: when })
    if (degraded.length > 0) throw new Error(degraded.join(', '))
  }
  const list = (read: () => Promise<ListedMemory[]>) => async () => {
    if ((await read()).length !== 20) throw new Error('the list is not full')
  }
  const asked = { filter: {}, limit: 20 }
  const present = {
    list: list(() => listMemories(scope, readModel.tables, asked)),
    KEYWORD: find('KEYWORD', undefined),
    HYBRID: find('HYBRID', undefined),
  }
  const sides = {
    'a list as of the moment': [
      list(() => listMemoriesAsOf(scope, readModel.tables, past, asked)),
      present.list,
    ],
    'a search by words as of the moment': [find('KEYWORD', past), present.KEYWORD],
    'a search as of the moment': [find('HYBRID', past), present.HYBRID],
    'a search by words across versions': [find('KEYWORD', 'EVER'), present.KEYWORD],
    'a search across versions': [find('HYBRID', 'EVER'), present.HYBRID],
  } as const
  for (const [title, [ours, theirs]] of Object.entries(sides)) {
    const times = { ours: [] as number[], theirs: [] as number[] }
    for (const [index, query] of queries.entries())
      for (const [side, work] of [
        ['ours', ours],
        ['theirs', theirs],
      ] as const) {
        const started = performance.now()
        await work(query)
        // The first ones warm up.
        if (index >= 5) times[side].push(performance.now() - started)
      }
    const [was, is] = [median(times.ours), median(times.theirs)]
    printComparison({
      title,
      ours: { label: 'past', value: `p50 ${was.toFixed(1)} ms` },
      theirs: { label: 'present', value: `p50 ${is.toFixed(1)} ms` },
      ratio: was / is,
      goal: { atMost: GOAL },
    })
  }
}

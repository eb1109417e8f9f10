import { randomUUID } from 'node:crypto'
import { decide } from '@daybook/memory/decide'
import { lexicalText } from '@daybook/memory/lexical-text'
import type { Memory } from '@daybook/memory/state'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { CANDIDATES_MAX } from '@daybook/projection/engine/search-engine'
import { createTypesenseClient } from '@daybook/typesense/client/client'
import { memoriesWith, nearestTo, typesenseCandidates } from '@daybook/typesense/search/candidates'
import { typesenseFilter } from '@daybook/typesense/search/filter'
import { createTypesenseSearch } from '@daybook/typesense/search/typesense-search'
import { collectionName, deleteCollection, ensureCollection } from '@daybook/typesense/write/collection'
import { documentsOf } from '@daybook/typesense/write/document'
import { TYPESENSE_SERVERS } from '@daybook/typesense-double/typesense-servers'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { createVocabulary, questions, STOP_WORDS, sentence, unitVector } from './generated-texts.ts'

/**
 * What a search takes on Typesense: the memories of each word of a question, and those with the nearest vectors. The
 * server lists ids as the values of a facet; a page of hits, which is what one would ask for, makes it read each
 * document with its vector.
 */
export const name = 'typesense'
export const description =
  'the candidates of a search from a real Typesense, as values of a facet against pages of hits (needs TYPESENSE_URL)'

const MEMORIES = 10_000
const QUESTIONS = 100
const DIMENSION = 384
const PER_IMPORT = 1_000
/** As a search asks. */
const PER_WORD = 100
const GOAL = 0.5

export async function run({ memories = MEMORIES }: BenchOptions): Promise<void> {
  const [, real] = TYPESENSE_SERVERS
  if (real === undefined)
    return console.log('NOT MEASURED: set TYPESENSE_URL and TYPESENSE_API_KEY, or DAYBOOK_TYPESENSE_SERVER.')
  const server = await real.start()
  const base = `daybook_bench_${randomUUID().replaceAll('-', '')}`
  const client = createTypesenseClient({ ...server, timeoutMs: 60_000 })
  const search = createTypesenseSearch({ ...server, base, timeoutMs: 60_000 })
  try {
    const projectId = randomUUID()
    await ensureCollection(client, { generation: 1, dimension: DIMENSION }, base)
    for (const lines of documents(projectId, memories))
      await client.importLines(collectionName(1, base), 'upsert', lines)

    const turn = search.turn(1)
    const filter = typesenseFilter(projectId, {})
    const { words, nearest } = typesenseCandidates(turn, filter)
    const random = createRandom(61)
    const asked = questions(QUESTIONS).map((question) => ({
      lexemes: lexemesOf(question),
      vector: unitVector(random, DIMENSION),
    }))
    const ids = { include_fields: 'memory_id' }
    const sides = {
      'words by facets': ({ lexemes }: Asked) => words(lexemes, PER_WORD),
      'words by pages': ({ lexemes }: Asked) =>
        turn.ask(
          lexemes.map((lexeme) => ({
            ...memoriesWith(lexeme, filter.filterBy),
            ...ids,
            highlight_fields: 'none',
            per_page: PER_WORD,
          })),
        ),
      'nearest by facets': ({ vector }: Asked) => nearest(vector),
      'nearest by pages': ({ vector }: Asked) =>
        turn.ask([{ ...nearestTo(vector, filter.filterBy), ...ids, per_page: CANDIDATES_MAX }]),
    }
    for (const question of asked) await checkAlike(sides, question)

    const times = new Map(Object.keys(sides).map((side) => [side, [] as number[]]))
    for (const question of asked)
      for (const [side, ask] of Object.entries(sides)) {
        const started = performance.now()
        await ask(question)
        times.get(side)?.push(performance.now() - started)
      }
    for (const what of ['words', 'nearest']) {
      const p50 = (how: string) => median(times.get(`${what} by ${how}`) ?? [])
      printComparison({
        title: `${what}: ${QUESTIONS} questions of 4 to 12 words, ${memories} memories`,
        ours: { label: 'values of a facet', value: `p50 ${p50('facets').toFixed(1)} ms` },
        theirs: { label: 'pages of hits', value: `p50 ${p50('pages').toFixed(1)} ms` },
        ratio: p50('facets') / p50('pages'),
        goal: { atMost: GOAL },
      })
    }
  } finally {
    await deleteCollection(client, 1, base)
    search.close()
    client.close()
    await server.stop()
  }
}

interface Asked {
  readonly lexemes: readonly string[]
  readonly vector: Float32Array
}

/** As Postgres gives them: without the words that every text has. */
const lexemesOf = (text: string): string[] =>
  [...new Set(text.split(' '))].filter((word) => !STOP_WORDS.includes(word))

/** @throws Error if the sides do not find the same number of memories, because they would not be comparable */
async function checkAlike(
  sides: {
    'words by facets'(asked: Asked): Promise<readonly { readonly documentFrequency: number }[]>
    'words by pages'(asked: Asked): Promise<readonly { readonly found: number }[]>
    'nearest by facets'(asked: Asked): Promise<{ readonly memoryIds: readonly string[] }>
  },
  asked: Asked,
): Promise<void> {
  const byFacets = (await sides['words by facets'](asked)).map(({ documentFrequency }) => documentFrequency)
  const byPages = (await sides['words by pages'](asked)).map(({ found }) => found)
  if (!byFacets.some((found) => found > 0) || byFacets.join() !== byPages.join())
    throw new Error(`the words are in ${byFacets.join()} memories by facets, and ${byPages.join()} by pages`)
  const { memoryIds } = await sides['nearest by facets'](asked)
  if (memoryIds.length !== CANDIDATES_MAX) throw new Error(`${memoryIds.length} memories are near`)
}

/** Documents as the projector writes them, in lines for one import each. */
function* documents(projectId: string, memories: number): Iterable<string[]> {
  const word = createVocabulary(createRandom(50))
  const random = createRandom(60)
  let lines: string[] = []
  for (let sequence = 1; sequence <= memories; sequence += 1) {
    const memory = noteOf(sentence(random, word, 8, 60), sequence)
    const text = lexicalText(memory.state)
    const chunk = { start: 0, end: text.length, embedding: [...unitVector(random, DIMENSION)] }
    const lexemes = new Map([[text, lexemesOf(text).join(' ')]])
    lines.push(
      ...documentsOf(projectId, memory, { chunks: [chunk], lexemes }).map((one) => JSON.stringify(one)),
    )
    if (lines.length < PER_IMPORT && sequence < memories) continue
    yield lines
    lines = []
  }
}

function noteOf(text: string, sequence: number): Memory {
  const decided = decide(rememberCommand(note(text)), {
    memory: null,
    earlier: null,
    now: new Date().toISOString(),
  })
  if (decided === null) throw new Error('nothing was decided')
  return { state: decided.data.state, version: 1, sequence }
}

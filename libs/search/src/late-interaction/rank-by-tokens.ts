import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { Evidence } from '../ranking/floor.ts'
import { continuation } from '../ranking/late/pool.ts'
import {
  evidenceIn,
  nearness,
  PROMISING,
  promisingCandidates,
  rankLate,
  type WantedTime,
} from '../ranking/late/rank-late.ts'
import { rowsByMemory, type TokenRows } from '../ranking/late/token-rows.ts'
import { type WeightedToken, weighTokens } from '../ranking/late/weighted-tokens.ts'
import { poolNeighbourhoods } from '../ranking/neighbours.ts'
import type { RankedHit } from '../ranking/rank.ts'
import { hashesOf } from '../ranking/retriever.ts'
import { namesIn, speakersOf } from '../ranking/speakers.ts'
import type { RetrieversFound } from '../run-retrievers.ts'
import type { QuestionTokens, SearchRun } from '../search-run.ts'
import { resemblance } from './resemblance.ts'
import { readContentHashes } from './token-bits-cache.ts'
import type { WordFrequencies } from './word-frequencies.ts'

/** The ranking, and what it was made of. */
export interface RankedByTokens {
  readonly ranked: readonly RankedHit[]
  /** In all candidates, also those beyond the limit. */
  readonly evidence: Evidence
  readonly weightedTokens: readonly WeightedToken[]
  readonly frequencies: WordFrequencies
  readonly tokens: QuestionTokens
  /** The hashes of the texts of all that could become hits, by memory. */
  readonly hashes: ReadonlyMap<string, string>
  /** The token bits of texts, by hash. A text that is not embedded yet has none. */
  readonly bits: ReadonlyMap<string, Uint8Array>
  /** How much the texts of two memories resemble each other (`resemblance.ts`); null if one has no token bits. */
  resemble(one: string, other: string): number | null
}

/**
 * Ranks candidates and their neighbours by late interaction: reads their token bits, compares the tokens, and scores.
 *
 *   question's words ──▶ frequencies ──▶ weights ───────────┬───────────────────────────┐
 *   candidates ──▶ hashes ──▶ token bits ──▶ matches ──▶ the best of them ──┐            │
 *   their neighbours ──▶ hashes ──▶ token bits ──▶ matches ◀────────────────┘ ────▶ score
 *
 * @param limit the most hits to return
 */
export async function rankByTokens(
  run: SearchRun,
  found: Pick<RetrieversFound, 'lexical' | 'vector'>,
  tokens: QuestionTokens,
  limit: number,
): Promise<RankedByTokens> {
  const { words, bytes } = tokens
  const { candidatesPerRetriever, without } = run.options
  const times = without.has('time') ? [] : run.times
  const hits = [...(found.lexical ?? []), ...(found.vector ?? [])]
  const candidates = [...new Set(hits.map(({ memoryId }) => memoryId))]
  if (candidates.length <= PROMISING) void run.neighbours(candidates)
  const factsAbout = async (ids: readonly string[]) =>
    factsOf(run, times, words, ids, await run.frequencies())
  const [frequencies, ofCandidates, compared] = await Promise.all([
    run.frequencies(),
    factsAbout(candidates),
    compare(run, candidates, hashesOf(hits)),
  ])
  const weightedTokens = weighTokens(words, frequencies)
  const ranking = (facts: Facts, { matches }: Compared) => ({
    lexical: found.lexical,
    vector: found.vector,
    weightedTokens,
    matches,
    isSpokenByNamed: (id: string) =>
      [...speakersOf(facts.of(id)?.beginning ?? '')].some((name) => facts.names.has(name)),
    timeMatch: (id: string) => nearness(facts.of(id)?.time ?? Number.NaN, times),
    candidatesPerRetriever,
    without,
  })
  const promising =
    candidates.length <= PROMISING ? candidates : promisingCandidates(ranking(ofCandidates, compared))
  const { neighbourhoods, eligible, contentHashes } = await run.neighbours(promising)
  const pool = [...poolNeighbourhoods(candidates, neighbourhoods).keys()]
  const [ofOthers, all] = await Promise.all([
    factsAbout(pool.filter((id) => !compared.hashes.has(id))),
    compare(run, pool, new Map([...contentHashes, ...compared.hashes])),
  ])
  const facts: Facts = { names: ofCandidates.names, of: (id) => ofCandidates.of(id) ?? ofOthers.of(id) }
  const { hashes, bits } = all
  const bitsOf = (id: string) => bits.get(hashes.get(id) ?? '')
  const resemble = (id: string, otherId: string): number | null => {
    const [one, other] = [bitsOf(id), bitsOf(otherId)]
    return one === undefined || other === undefined ? null : resemblance(one, other, bytes)
  }
  const ranked = rankLate({
    ...ranking(facts, all),
    continues: (id, beside) => {
      const alike = resemble(id, beside)
      return alike === null ? 1 : continuation(alike)
    },
    neighbourhoods,
    eligible: (id) => eligible.has(id),
    lookedUp: promising.length,
    memories: frequencies.documents,
    limit,
  })
  return {
    ranked,
    evidence: evidenceIn(found, weightedTokens),
    weightedTokens,
    frequencies,
    tokens,
    hashes,
    bits,
    resemble,
  }
}

interface Compared extends Pick<RankedByTokens, 'hashes' | 'bits'> {
  readonly matches: TokenRows
}

/** Compares the texts of memories. @param known hashes of texts, by memory */
async function compare(
  run: SearchRun,
  ids: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<Compared> {
  // One session would answer this first, and the lookup of the others only then.
  if (run.atOnce) void run.compared(ids.flatMap((id) => known.get(id) ?? []))
  const looked = await readContentHashes(
    run.scope,
    run.readModel,
    ids.filter((id) => !known.has(id)),
  )
  const hashes = new Map(
    ids.flatMap((id) => {
      const hash = known.get(id) ?? looked.get(id)
      return hash === undefined ? [] : [[id, hash] as const]
    }),
  )
  const { bits, matches } = await run.compared(hashes.values())
  return { hashes, bits, matches: rowsByMemory(hashes, matches) }
}

interface Facts {
  /** The names in the question of people who may speak. */
  readonly names: ReadonlySet<string>
  of(memoryId: string): MemoryFacts | undefined
}

const FIRST_WORD = /[\p{L}\p{M}]+/u

/** Reads the facts of memories if any of them counts: the question names somebody, or a time. */
async function factsOf(
  { scope, readModel, query: { wanted } }: SearchRun,
  times: readonly WantedTime[],
  words: readonly string[],
  ids: readonly string[],
  { documentFrequency }: WordFrequencies,
): Promise<Facts> {
  const names = new Set(namesIn(wanted))
  // "When did Ann …": most questions begin with a stop word, which has no lexeme. Elsewhere it may be a name: "Will".
  const first = FIRST_WORD.exec(wanted)?.[0].toLowerCase() ?? ''
  if (words.includes(first) && !documentFrequency.has(first)) names.delete(first)
  if (names.size === 0 && times.length === 0) return { names, of: () => undefined }
  const facts = await readFacts(scope, readModel, ids, names.size > 0)
  return { names, of: (id) => facts.get(id) }
}

/** What the ranking asks of a memory beside its tokens. */
interface MemoryFacts {
  /**
   * The first 50 characters of a note, and an entity's name as if it spoke; null for other kinds, or if they were not asked for.
   */
  readonly beginning: string | null
  /** When it happened, else when it was remembered: milliseconds since 1970. */
  readonly time: number
}

interface Row extends MemoryFacts {
  readonly memory_id: string
}

/** Reads the facts of memories. @param withBeginnings they take as long as the memories themselves */
async function readFacts(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  memoryIds: readonly string[],
  withBeginnings: boolean,
): Promise<ReadonlyMap<string, MemoryFacts>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<Row>`
    select memory_id, extract(epoch from coalesce(occurred_at, created_at))::float8 * 1000 as time,
      case when not ${withBeginnings} then null when kind = 'note' then left(state->'content'->>'text', 50)
        when kind = 'entity' then left(state->'content'->>'name', 40) || ': ' end as beginning
    from ${tables.memories} one where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map(({ memory_id: id, ...facts }) => [id, facts]))
}

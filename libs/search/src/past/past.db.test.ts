import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { DEFAULT_MODEL } from '@daybook/embeddings/models'
import { readJournal, sequenceAt } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { eraseEvents } from '@daybook/journal/testing/erase'
import type { Command } from '@daybook/memory/commands'
import type { JournalEvent } from '@daybook/memory/events'
import { fold } from '@daybook/memory/events'
import { type MemoryFilter, matchesFilter } from '@daybook/memory/filter'
import { newId } from '@daybook/memory/id'
import { type Memory, textOf } from '@daybook/memory/state'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { listMemoriesAsOf, type PastMoment, readMemoryAsOf } from '@daybook/pgvector/read/read-memories'
import { checkReadModel } from '@daybook/pgvector/testing/check-read-model'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { search } from '../search.ts'
import type { SearchAnswer, SearchRequest } from '../search-request.ts'

/** Marsaglia's xorshift: the same numbers in every run. */
function random(seed: number) {
  let state = seed
  const next = (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
  return { next, of: <T>(all: readonly T[]): T => all[next(all.length)] as T }
}

const revise = (id: string, text: string): Command => ({
  type: 'revise',
  id,
  input: { content: { kind: 'note', fields: { text } } },
})

/** Random histories of memories on the first database. */
const HISTORIES = Number(process.env['DAYBOOK_FUZZ_RUNS'] ?? 120)

describe.each(TEST_DATABASES)('the past on $name', ({ name, start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 32, tokenBits: true })
  })
  afterAll(() => harness?.stop())

  const find = (
    scope: ProjectScope,
    request: Partial<SearchRequest>,
    { readModel, embedder }: ReadModelHarness = harness,
  ): Promise<SearchAnswer> => {
    const parts = { scope, readModel, embedders: fixedEmbedders([embedder], embedder) }
    return search(parts, { query: 'x', filter: {}, mode: 'KEYWORD', limit: 100, ...request })
  }
  const eventsOf = async (scope: ProjectScope): Promise<JournalEvent[]> =>
    (await readJournal(scope, { after: 0, limit: 10_000 })).map(readable)
  const found = ({ hits }: SearchAnswer) =>
    hits.map(({ memory }) => `${memory.state.id}/${memory.version}`).toSorted()
  const named = (memories: Iterable<Memory>) =>
    [...memories].map(({ state, version }) => `${state.id}/${version}`).toSorted()

  describe('as of a moment (capability 16)', () => {
    const WORDS = ['heron', 'otter', 'birch', 'moss', 'slate', 'ember', 'fjord', 'quill']
    const FILTERS: readonly MemoryFilter[] = [
      {},
      { includeForgotten: true },
      { labelsAny: ['red'] },
      { context: 'lake' },
      { minImportance: 6 },
    ]
    let scope: ProjectScope
    let events: JournalEvent[]
    const numbers = random(7)

    /** Random commands to 30 memories, one append each, so that most have a time of their own. */
    beforeAll(async () => {
      scope = await harness.newProject()
      const ids: string[] = []
      let lastExpiry = 0
      const expiring = (milliseconds: number) => {
        lastExpiry = Date.now() + milliseconds
        return new Date(lastExpiry).toISOString()
      }
      const text = () => Array.from({ length: 3 }, () => numbers.of(WORDS)).join(' ')
      for (let step = 0; step < 220; step += 1) {
        const id = ids[numbers.next(30)]
        const how = numbers.next(10)
        const command = (): Command => {
          if (id === undefined) {
            const fresh = rememberCommand(
              note(text(), {
                labels: [numbers.of(['red', 'blue'])],
                context: numbers.of([null, 'lake']),
                ...(how === 0 && { expiresAt: expiring(400) }),
              }),
            )
            ids.push(fresh.id)
            return fresh
          }
          if (how < 4) return revise(id, text())
          if (how < 6) return { type: 'revise', id, input: { importance: numbers.next(11), context: 'lake' } }
          if (how < 7) return { type: 'revise', id, input: { labels: [numbers.of(['red', 'blue'])] } }
          if (how < 8) return { type: 'forget', id }
          return { type: 'restore', id, ...(numbers.next(2) === 0 && { version: 1 }) }
        }
        await harness.append(scope, command()).catch((error: unknown) => {
          // Such as a revision of a forgotten memory.
          if (!(error instanceof Error) || error.name === 'Error') throw error
        })
        if (numbers.next(9) === 0) await harness.apply(scope, 1 + numbers.next(20))
      }
      // The moments that are asked for go to the last event: however fast the machine is, something expires before.
      await vi.waitUntil(() => Date.now() > lastExpiry)
      await harness.append(scope, rememberCommand(note(text())))
      await harness.apply(scope)
      await harness.embed()
      events = await eventsOf(scope)
    })

    /** What the journal says of 50 moments: random ones, and those of events. */
    async function* moments(): AsyncGenerator<PastMoment & { readonly memories: readonly Memory[] }> {
      const [first, last] = [Date.parse(events[0]!.recordedAt), Date.parse(events.at(-1)!.recordedAt)]
      for (let count = 0; count < 50; count += 1) {
        const moment =
          count % 2 === 0
            ? numbers.of(events).recordedAt
            : new Date(first - 5 + numbers.next(last - first + 10)).toISOString()
        const until = events.filter((event) => event.recordedAt <= moment)
        const sequence = await sequenceAt(scope, moment)
        expect(sequence).toBe(until.length)
        yield { sequence, moment, memories: [...fold(until).values()] }
      }
    }
    const lives = (moment: string, { state }: Memory, filter: MemoryFilter) =>
      (filter.includeForgotten === true || state.forgottenAt === null) &&
      // What has expired is listed with the forgotten from when its event says so.
      (state.forgottenAt !== null || state.expiresAt === null || state.expiresAt > moment) &&
      matchesFilter(state, filter)

    it('lists and memories are the fold of the journal up to there', async () => {
      const firstOf = new Map(events.toReversed().map(({ memoryId, sequence }) => [memoryId, sequence]))
      expect(events.length).toBeGreaterThan(100)
      for await (const { memories, ...past } of moments()) {
        const filter = numbers.of(FILTERS)
        const listed: Memory[] = []
        for (let before: number | null = null; ; ) {
          const page = await listMemoriesAsOf(scope, harness.readModel.tables, past, {
            filter,
            before,
            limit: 7,
          })
          listed.push(...page)
          if (page.length < 7) break
          before = page.at(-1)!.firstSequence
        }
        const wanted = memories
          .filter((memory) => lives(past.moment, memory, filter))
          .toSorted((one, other) => firstOf.get(other.state.id)! - firstOf.get(one.state.id)!)
        expect(listed.map(({ state, version, sequence }) => ({ state, version, sequence }))).toEqual(wanted)
        const { memoryId } = numbers.of(events)
        expect(
          (await readMemoryAsOf(scope, harness.readModel.tables, memoryId, past))?.state ?? null,
        ).toEqual(memories.find(({ state }) => state.id === memoryId)?.state ?? null)
      }
    })

    it('words find what the texts said then, and meaning every memory of then', async () => {
      let hits = 0
      for await (const { memories, ...past } of moments()) {
        const [word, filter] = [numbers.of(WORDS), numbers.of(FILTERS)]
        const live = memories.filter((memory) => lives(past.moment, memory, filter))
        const saying = live.filter(({ state }) => textOf(state).includes(word))
        const byWords = await find(scope, { query: word, filter, past })
        expect(found(byWords)).toEqual(named(saying))
        for (const { snippet } of byWords.hits) expect(snippet).toContain(`<mark>${word}</mark>`)
        const byMeaning = await find(scope, { query: word, mode: 'SEMANTIC', filter, past })
        expect(byMeaning.degraded).toEqual([])
        expect(found(byMeaning)).toEqual(named(live))
        const both = await find(scope, { query: `${word} -${numbers.of(WORDS)}`, mode: 'HYBRID', past })
        for (const { memory } of both.hits)
          expect(memory).toEqual(memories.find(({ state }) => state.id === memory.state.id))
        hits += byWords.hits.length
      }
      expect(hits).toBeGreaterThan(50)
    })

    it('before the first event there is nothing, and the answer says so', async () => {
      const past = {
        sequence: await sequenceAt(scope, '2001-01-01T00:00:00.000Z'),
        moment: '2001-01-01T00:00:00.000Z',
      }
      expect(past.sequence).toBe(0)
      expect(await find(scope, { query: 'heron', past, mode: 'HYBRID' })).toMatchObject({
        hits: [],
        engine: 'POSTGRES',
        message: 'Nothing had been remembered at 2001-01-01T00:00:00.000Z: this journal begins later.',
      })
      expect(await sequenceAt(scope, '2999-01-01T00:00:00.000Z')).toBe(events.length)
    })

    it('another engine that is asked for leaves it to Postgres, and the answer says so', async () => {
      const past = { sequence: 10, moment: events[9]!.recordedAt }
      expect(await find(scope, { query: 'heron', past, engine: 'TYPESENSE' })).toMatchObject({
        engine: 'POSTGRES',
        degraded: ['typesense has only present texts, answered by Postgres'],
      })
    })
  })

  describe('search across versions (capability 16)', () => {
    // The other databases get fewer, as the statements are the same.
    const histories = name === TEST_DATABASES[0]?.name ? HISTORIES : 50

    it(`finds every revised-away word of ${histories} random histories, with its version`, async () => {
      const scope = await harness.newProject()
      const numbers = random(11)
      const ids = Array.from({ length: histories }, () => newId())
      const text = (memory: number, round: number) => `zq${memory}v${round} of the archive`
      await harness.append(
        scope,
        ...ids.map((id, index) => ({ ...rememberCommand(note(text(index, 0))), id }) as Command),
      )
      for (let round = 1; round <= 4; round += 1)
        await harness.append(
          scope,
          ...ids.flatMap((id, index): Command[] => {
            const how = numbers.next(8)
            if (how < 5) return [revise(id, text(index, round))]
            if (how === 5) return [{ type: 'revise', id, input: { importance: round } }]
            return how === 6
              ? [
                  { type: 'forget', id },
                  { type: 'restore', id },
                ]
              : []
          }),
        )
      await harness.apply(scope, 250)
      await harness.embed()
      const events = await eventsOf(scope)
      const current = fold(events)
      const versions = new Map<string, string>()
      for (const { memoryId, version, data } of events)
        versions.set(textOf(data.state).split(' ')[0] ?? '', `${memoryId}/${version}`)
      const now = new Set([...current.values()].map(({ state }) => textOf(state).split(' ')[0]))
      const gone = [...versions.keys()].filter((word) => !now.has(word))
      expect(gone.length).toBeGreaterThan(1.5 * histories)
      for (let from = 0; from < gone.length; from += 50) {
        const words = gone.slice(from, from + 50)
        const answer = await find(scope, { query: words.join(' '), past: 'EVER' })
        expect(found(answer)).toEqual(words.map((word) => versions.get(word)).toSorted())
        for (const { memory, snippet } of answer.hits)
          expect(snippet).toContain(`<mark>${textOf(memory.state).split(' ')[0]}</mark>`)
        expect((await find(scope, { query: words[0]! })).hits, 'only across versions').toEqual([])
      }
      for (const word of gone.slice(0, 5)) {
        const { hits } = await find(scope, {
          query: `${word} of the archive`,
          mode: 'SEMANTIC',
          past: 'EVER',
        })
        expect(`${hits[0]?.memory.state.id}/${hits[0]?.memory.version}`).toBe(versions.get(word))
      }
      const [word = ''] = now
      expect(found(await find(scope, { query: word, past: 'EVER' }))).toEqual([versions.get(word)])
      expect(await checkReadModel(scope, harness.readModel)).toEqual([])
    })

    it('a forgotten memory is found if the filter asks for it, an erased one never', async () => {
      const scope = await harness.newProject()
      const [memory] = await harness.remember(scope, note('an emerald heron'))
      const { id } = memory!.state
      await harness.append(scope, revise(id, 'a grey heron'), { type: 'forget', id })
      await harness.apply(scope)
      for (const query of ['emerald', 'grey']) {
        expect(found(await find(scope, { query, past: 'EVER' }))).toEqual([])
        const filter = { includeForgotten: true }
        expect((await find(scope, { query, past: 'EVER', filter, mode: 'HYBRID' })).hits).not.toEqual([])
      }
      await eraseEvents(harness, scope.projectId, [1, 2, 3])
      const filter = { includeForgotten: true }
      expect((await find(scope, { query: 'emerald', past: 'EVER', filter, mode: 'HYBRID' })).hits).toEqual([])
    })
  })

  it('says so where nothing seems to be about the query', async () => {
    const { modelId, dimension } = DEFAULT_MODEL
    const measured = await startReadModelHarness({ start }, { modelId, dimension })
    try {
      const scope = await measured.newProject()
      await measured.remember(scope, note('a heron stands in the reeds'))
      const request = { query: 'qwertz', mode: 'HYBRID', past: 'EVER' } as const
      const { hits, message } = await find(scope, request, measured)
      expect(hits).toEqual([])
      expect(message).toMatch(/^Nothing here seems to be about "qwertz".*minScore of 0/u)
      expect((await find(scope, { ...request, floor: false }, measured)).hits).toHaveLength(1)
    } finally {
      await measured.stop()
    }
  })

  it('a revision that keeps the text costs no vector, posting or token bits (capability 16)', async () => {
    const scope = await harness.newProject()
    const memories = await harness.remember(scope, note('a heron stands in the reeds'), note('an otter'))
    const { postings, formerPostings, vectors, versions } = harness.readModel.tables
    const cost = async () => {
      const bytes = sql`sum(octet_length(entries) + octet_length(recent) - octet_length(removed))`
      const { rows } = await sql<Record<string, number>>`
        select (select ${bytes} from ${postings} where project_id = ${scope.projectId}) as postings,
          (select ${bytes} from ${formerPostings} where project_id = ${scope.projectId}) as former,
          (select count(*) from ${vectors} where project_id = ${scope.projectId}) as vectors,
          (select count(*) from ${versions} where project_id = ${scope.projectId} and lexemes is not null) as texts,
          (select sum(octet_length(token_bits)) from embeddings where project_id = ${scope.projectId}) as token_bits,
          (select count(*) from embedding_chunks where project_id = ${scope.projectId}) as chunks`.execute(
        scope.db,
      )
      return rows[0]
    }
    const before = await cost()
    expect(before).toMatchObject({ vectors: 2, former: null, texts: 0 })
    for (let round = 0; round < 5; round += 1)
      for (const { state } of memories) {
        await harness.append(scope, {
          type: 'revise',
          id: state.id,
          input: { importance: round, metadata: { round }, context: `c${round}` },
        })
        await harness.apply(scope)
        await harness.embed()
      }
    expect(await cost()).toEqual(before)
    await harness.append(scope, revise(memories[1]!.state.id, 'an otter swims'))
    await harness.apply(scope)
    await harness.embed()
    // The new word has a posting; of the old text no word is gone.
    expect(await cost()).toMatchObject({ vectors: 2, former: null, texts: 1, chunks: 3 })
  })
})

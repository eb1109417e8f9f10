import {
  checkFilter,
  type FilteredField,
  type FilterName,
  type MemoryFilter,
  matchesFilter,
} from '@daybook/memory/filter'
import { parseMemoryIdPrefix } from '@daybook/memory/id'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import type { Memory } from '@daybook/memory/state'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { appendExpired } from '../testing/append-expired.ts'
import { type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'
import { readAccess, startAccessTracker } from './access.ts'
import { filterCondition } from './filter.ts'
import { liveReadModel, pgvectorStatus } from './live-read-model.ts'
import { memoriesEver } from './past-memories.ts'
import {
  listMemories,
  listMemoriesAsOf,
  readByKey,
  readIdRange,
  readMemories,
  recentKeys,
} from './read-memories.ts'

const label = fc.constantFrom('red', 'blue', 'green', '{a,"b"}')
const moment = fc.constantFrom(
  '2020-01-01T00:00:00.000Z',
  '2020-06-01T12:00:00.000Z',
  '2021-01-01T00:00:00.000Z',
)
const name = fc.constantFrom('ada', 'bob', "o'neil")
const COMMON_VALUES = {
  labels: fc.uniqueArray(label),
  categories: fc.uniqueArray(label),
  importance: fc.integer({ min: 0, max: 10 }),
  context: fc.option(name),
  agent: fc.option(name),
  occurredAt: fc.option(moment),
} satisfies Record<Exclude<FilteredField, 'kind' | 'createdAt'>, fc.Arbitrary<unknown>>
const revision = fc.record(COMMON_VALUES)
const input = fc.record({ kind: fc.constantFrom('note' as const, 'document' as const), ...COMMON_VALUES })
const FILTER_VALUES = {
  kinds: fc.subarray(['note', 'document', 'stash'] as const).map((kinds) => [...kinds]),
  labelsAny: fc.uniqueArray(label, { maxLength: 2 }),
  labelsAll: fc.uniqueArray(label, { maxLength: 2 }),
  categories: fc.uniqueArray(label, { maxLength: 2 }),
  minImportance: fc.oneof(fc.integer({ min: -1, max: 11 }), fc.constantFrom(4.5, 1e12, -1e300, Number.NaN)),
  context: name,
  agent: name,
  createdAfter: moment,
  createdBefore: moment,
  occurredAfter: moment,
  occurredBefore: moment,
} satisfies Record<FilterName, fc.Arbitrary<unknown>>
const filter: fc.Arbitrary<MemoryFilter> = fc.record(FILTER_VALUES, { requiredKeys: [] })
/** Each of them alone, so that none is left out. */
const eachFilter: fc.Arbitrary<MemoryFilter[]> = fc
  .record(FILTER_VALUES)
  .map((all) => Object.entries(all).map(([one, given]): MemoryFilter => ({ [one]: given })))

describe.each(TEST_DATABASES)('reading memories on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  const list = (scope: ProjectScope, options: Partial<Parameters<typeof listMemories>[2]> = {}) =>
    listMemories(scope, harness.readModel.tables, { filter: {}, limit: 100, ...options })
  const textsOf = (memories: readonly { state: { content: object } }[]) =>
    memories.map(({ state }) => (state.content as { text: string }).text)

  it('the filter means the same in SQL and in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(input, { minLength: 1, maxLength: 12 }),
        fc.array(filter, { minLength: 1, maxLength: 10 }),
        async (inputs, filters) => {
          const scope = await harness.newProject()
          const memories = await harness.append(
            scope,
            ...inputs.map(({ kind, ...common }) =>
              rememberCommand({
                content: { kind, fields: kind === 'note' ? { text: 'x' } : { content: 'x' } },
                ...common,
              }),
            ),
          )
          await harness.apply(scope)
          for (const one of filters) {
            const found = (await list(scope, { filter: one })).map(({ state }) => state.id)
            const meant = memories
              .filter(({ state }) => matchesFilter(state, one))
              .map(({ state }) => state.id)
            expect(found.toSorted()).toEqual(meant.toSorted())
          }
        },
      ),
      { numRuns: 25 },
    )
  })

  it('every filter means the same of the past, as of a moment and across versions', async () => {
    const content = (kind: 'note' | 'document', text: string) => ({
      kind,
      fields: kind === 'note' ? { text } : { content: text },
    })
    const named = (memories: readonly Memory[]) =>
      memories.map(({ state, version }) => `${state.id}/${version}`).toSorted()
    const { tables } = harness.readModel
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(input, revision), { minLength: 4, maxLength: 12 }),
        eachFilter,
        async (histories, filters) => {
          const scope = await harness.newProject()
          const first = histories.map(([{ kind, ...given }]) =>
            rememberCommand({ content: content(kind, 'first'), ...given }),
          )
          const before = await harness.append(scope, ...first)
          const revisions = histories.map(([{ kind }, given], at) => ({
            type: 'revise' as const,
            id: first[at]!.id,
            input: { content: content(kind, 'second'), ...given },
          }))
          const after = await harness.append(scope, ...revisions)
          await harness.apply(scope)
          const past = { sequence: before.length, moment: new Date().toISOString() }
          for (const one of filters) {
            const meant = (memories: readonly Memory[]) =>
              named(memories.filter(({ state }) => matchesFilter(state, one)))
            const then = await listMemoriesAsOf(scope, tables, past, { filter: one, limit: 100 })
            expect(named(then), JSON.stringify(one)).toEqual(meant(before))
            const { rows: ever } = await sql<{ found: string }>`
              select m.memory_id || '/' || m.version as found from ${memoriesEver(tables, scope.projectId)} m
              where ${filterCondition(tables, one)}`.execute(scope.db)
            expect(ever.map(({ found }) => found).toSorted(), JSON.stringify(one)).toEqual(
              meant([...before, ...after]),
            )
          }
        },
      ),
      { numRuns: 5 },
    )
  })

  it('every kind can be filtered by', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('one'))
    for (const kind of KIND_NAMES)
      expect(await list(scope, { filter: checkFilter({ kinds: [kind] }) })).toHaveLength(
        kind === 'note' ? 1 : 0,
      )
  })

  it('lists newest first and goes on after a cursor, past revisions', async () => {
    const scope = await harness.newProject()
    const memories = await harness.remember(scope, ...['1', '2', '3', '4', '5'].map((text) => note(text)))
    await harness.append(scope, { type: 'revise', id: memories[0]!.state.id, input: { importance: 9 } })
    await harness.apply(scope)
    const first = await list(scope, { limit: 2 })
    expect(textsOf(first)).toEqual(['5', '4'])
    const second = await list(scope, { limit: 2, before: first.at(-1)!.firstSequence })
    expect(textsOf(second)).toEqual(['3', '2'])
    const last = await list(scope, { limit: 2, before: second.at(-1)!.firstSequence })
    expect(last).toMatchObject([{ firstSequence: 1, sequence: 6, version: 2 }])
    expect(await list(scope, { before: 1 })).toEqual([])
  })

  it('leaves out expired memories, and forgotten ones unless asked', async () => {
    const scope = await harness.newProject()
    const [, forgotten] = await harness.remember(
      scope,
      note('live'),
      note('forgotten'),
      note('expires later', { expiresAt: '9999-01-01T00:00:00Z' }),
    )
    await harness.append(scope, { type: 'forget', id: forgotten!.state.id })
    await appendExpired(scope, { content: { text: 'expired' } })
    await harness.apply(scope)
    expect(textsOf(await list(scope))).toEqual(['expires later', 'live'])
    expect(textsOf(await list(scope, { filter: { includeForgotten: true } }))).toEqual([
      'expires later',
      'forgotten',
      'live',
    ])
    const byId = await readMemories(scope, harness.readModel.tables, [forgotten!.state.id])
    expect(byId.get(forgotten!.state.id)?.state.forgottenAt).not.toBeNull()
  })

  it('reads by key exactly, newest first; names keys once, those written last first', async () => {
    const scope = await harness.newProject()
    const insight = (key: string | null, content: string) => ({
      content: { kind: 'insight', fields: { key, content } },
      onExisting: 'KEEP_BOTH',
    })
    const [first] = await harness.remember(
      scope,
      insight('auth', 'old'),
      insight('build', 'x'),
      insight('auth', 'new'),
      insight('Auth', 'other case'),
      insight(null, 'none'),
    )
    const tables = harness.readModel.tables
    const read = (key: string) => readByKey(scope, tables, { kind: 'insight', key, limit: 10 })
    expect((await read('auth')).map(({ sequence }) => sequence)).toEqual([3, 1])
    expect(await read('aut')).toEqual([])
    expect(await readByKey(scope, tables, { kind: 'stash', key: 'auth', limit: 10 })).toEqual([])
    expect(await recentKeys(scope, tables, { kind: 'insight', limit: 10 })).toEqual(['Auth', 'auth', 'build'])
    expect(await recentKeys(scope, tables, { kind: 'insight', limit: 2 })).toEqual(['Auth', 'auth'])
    await harness.append(scope, { type: 'revise', id: first!.state.id, input: insight('renamed', 'old') })
    await harness.apply(scope)
    expect((await read('auth')).map(({ sequence }) => sequence)).toEqual([3])
    expect((await read('renamed')).map(({ sequence }) => sequence)).toEqual([6])
  })

  it('finds memories of the project by how their ids begin, forgotten ones too', async () => {
    const [scope, other] = [await harness.newProject(), await harness.newProject()]
    const ids = ['000', '5ff', '600'].map((end) => `3f2a91c8-0000-4000-8000-000000000${end}`)
    for (const id of ids.toReversed()) await harness.append(scope, rememberCommand(note(id), id))
    await harness.append(scope, { type: 'forget', id: ids[1]! })
    await harness.append(other, rememberCommand(note('of the other')))
    for (const one of [scope, other]) await harness.apply(one)
    const read = async (prefix: string, limit = 10, of = scope) =>
      textsOf(await readIdRange(of, harness.readModel.tables, parseMemoryIdPrefix(prefix)!, limit))
    expect(await read('3f2a')).toEqual(ids)
    expect(await read('note:3F2A91C', 2)).toEqual(ids.slice(0, 2))
    expect(await read('3f2a91c8-0000-4000-8000-0000000005')).toEqual([ids[1]])
    expect(await read('3f2b')).toEqual([])
    expect(await read('todo:3f2a')).toEqual([])
    expect(await read('3f2a', 10, other)).toEqual([])
  })

  it('never reads another project', async () => {
    const [one, other] = [await harness.newProject(), await harness.newProject()]
    const [memory] = await harness.remember(one, note('of one'))
    expect(await list(other)).toEqual([])
    expect((await readMemories(other, harness.readModel.tables, [memory!.state.id])).size).toBe(0)
    expect(await readAccess(other, [memory!.state.id])).toEqual(new Map())
  })

  it('counts accesses in the background and loses none on a clean stop', async () => {
    const scope = await harness.newProject()
    const [one, other] = await harness.remember(scope, note('one'), note('other'))
    const tracker = startAccessTracker(harness.db, silentLogger, 20)
    const startedAt = Date.now()
    const ids = [one!.state.id, other!.state.id]
    tracker.touch(scope, ids)
    tracker.touch(scope, [ids[0]!, ids[0]!])
    await new Promise((resolve) => setTimeout(resolve, 60))
    tracker.touch(scope, [ids[0]!])
    await tracker.stop()
    const counts = await readAccess(scope, ids)
    expect(ids.map((id) => counts.get(id)?.accessCount)).toEqual([4, 1])
    expect(Date.parse(counts.get(ids[0]!)!.accessedAt)).toBeGreaterThan(startedAt - 60_000)
  })

  it('1,000 searches leave exact access counts, while counts are being written (capability 23)', async () => {
    const scope = await harness.newProject()
    const memories = await harness.remember(scope, ...Array.from({ length: 30 }, (_, n) => note(`hit ${n}`)))
    const ids = memories.map(({ state }) => state.id)
    const tracker = startAccessTracker(harness.db, silentLogger, 1)
    const expected = new Map<string, number>()
    for (let search = 0; search < 1_000; search += 1) {
      const hits = ids.filter((_, n) => (search + n * n) % 3 === 0)
      for (const id of hits) expected.set(id, (expected.get(id) ?? 0) + 1)
      tracker.touch(scope, hits)
      if (search % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 3))
      if (search === 500) await vi.waitUntil(async () => (await readAccess(scope, ids)).size > 0)
    }
    await tracker.stop()
    const counts = await readAccess(scope, ids)
    expect(new Map([...counts].map(([id, { accessCount }]) => [id, accessCount]))).toEqual(expected)
  })

  it('the status says how far it is, what is pending and what is parked', async () => {
    const scope = await harness.newProject()
    await harness.append(scope, rememberCommand(note('status one')), rememberCommand(note('status two')))
    const status = () => pgvectorStatus(scope, harness.readModel.generation)
    expect(await status()).toMatchObject({
      name: 'pgvector',
      generation: 1,
      position: 0,
      head: 2,
      lag: 2,
      status: 'live',
    })
    await harness.apply(scope)
    expect(await status()).toMatchObject({ position: 2, lag: 0, pendingEmbeddings: 2, parked: 0 })
    await harness.embed()
    expect(await status()).toMatchObject({ pendingEmbeddings: 0 })
  })

  it('there is one live generation, and none before the first start', async () => {
    const { generation } = await liveReadModel(harness.db)
    expect(generation).toEqual({
      projection: 'pgvector',
      generation: 1,
      modelId: 'test-hash/8',
      dimension: 8,
    })
    const rollback = new Error('undone')
    const without = harness.db.transaction().execute(async (trx) => {
      await sql`delete from generations`.execute(trx)
      await expect(liveReadModel(trx)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      throw rollback
    })
    await expect(without).rejects.toBe(rollback)
  })
})

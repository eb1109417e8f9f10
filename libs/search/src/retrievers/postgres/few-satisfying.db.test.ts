import { type MemoryFilter, matchesFilter } from '@daybook/memory/filter'
import { LIMITS } from '@daybook/memory/limits'
import { note } from '@daybook/memory/testing/commands'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseQuery } from '../../query/parse-query.ts'
import { hitCondition } from './constraint.ts'
import { readFew } from './few-satisfying.ts'

describe.each(TEST_DATABASES)('the memories that a filter leaves, on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 16 })
  })
  afterAll(() => harness?.stop())

  async function few(scope: ProjectScope, filter: MemoryFilter, most?: number): Promise<string[] | null> {
    const found = {
      scope,
      readModel: harness.readModel,
      condition: hitCondition(harness.readModel.tables, filter, parseQuery('x')),
    }
    const read = await readFew(found, filter, most)
    return read === null ? null : (read.ids ?? '').slice(1, -1).split(',').filter(Boolean).toSorted()
  }

  it('are those that satisfy it, however long their labels, agents and contexts are', async () => {
    const scope = await harness.newProject()
    // Four bytes a character, which is the most.
    const wide = (characters: number, tag: string) => `${tag}${'𝄞'.repeat(characters - tag.length)}`
    const labels = (count: number, characters: number) =>
      Array.from({ length: count }, (_, at) => wide(characters, `l${at} `))
    const name = wide(LIMITS.nameCharacters, 'n')
    const remembered = await harness.remember(
      scope,
      note('none'),
      note('short', { labels: ['short', 'both'], agent: name, context: name }),
      note('long', { labels: [...labels(31, LIMITS.labelCharacters), 'both'], agent: name, context: name }),
      note('long categories', { labels: ['both'], categories: labels(32, LIMITS.labelCharacters) }),
      ...[10, 11, 12, 13, 14, 23, 24, 25].map((count) =>
        note(`at the border ${count}`, {
          labels: labels(count, 19),
          categories: ['short'],
          agent: name,
          context: name,
        }),
      ),
    )
    const states = remembered.map(({ state }) => state)
    for (const filter of [
      { labelsAny: ['both'] },
      { labelsAny: ['short', wide(19, 'l3 ')] },
      { labelsAll: ['both', 'short'] },
      { labelsAll: labels(12, 19) },
      { categories: ['short'] },
      { categories: labels(32, LIMITS.labelCharacters).slice(30) },
      { agent: name },
      { agent: name, labelsAny: [wide(19, 'l24 ')] },
      { context: name },
      { labelsAny: ['of nobody'] },
    ] satisfies MemoryFilter[])
      expect(await few(scope, filter), JSON.stringify(Object.keys(filter))).toEqual(
        states.flatMap((state) => (matchesFilter(state, filter) ? [state.id] : [])).toSorted(),
      )
  })

  it('are not read to their end where they are many', async () => {
    const scope = await harness.newProject()
    await harness.remember(
      scope,
      ...Array.from({ length: 6 }, (_, at) => note(`text ${at}`, { labels: ['l'] })),
    )
    const filter = { labelsAny: ['l'] }
    expect(await few(scope, filter, 7)).toHaveLength(6)
    expect(await few(scope, filter, 6)).toBeNull()
    expect(await few(scope, { labelsAny: ['m'] }, 6)).toEqual([])
    const other = await harness.newProject()
    expect(await few(other, filter)).toEqual([])
  })

  it('are the same with any filter, of current and of forgotten memories', async () => {
    const scope = await harness.newProject()
    const words = ['a', 'b', 'c', 'x'.repeat(64)]
    const ofBits = (bits: number) => words.filter((_word, bit) => ((bits >> bit) & 1) === 1)
    const remembered = await harness.remember(
      scope,
      ...Array.from({ length: 60 }, (_, at) =>
        note(`text ${at}`, {
          labels: ofBits(at),
          categories: ofBits(at >> 2),
          importance: at % 11,
          agent: at % 3 === 0 ? 'one' : null,
        }),
      ),
    )
    for (const { state } of remembered.slice(0, 20))
      await harness.append(scope, { type: 'forget', id: state.id })
    await harness.apply(scope)
    const forgotten = new Set(remembered.slice(0, 20).map(({ state }) => state.id))
    const some = fc.option(fc.subarray(words, { minLength: 1 }), { nil: undefined })
    const filters = fc.record({
      labelsAny: some,
      labelsAll: some,
      categories: some,
      minImportance: fc.option(fc.nat(10), { nil: undefined }),
      agent: fc.option(fc.constant('one'), { nil: undefined }),
      includeForgotten: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(filters, async (wanted) => {
        const filter = Object.fromEntries(
          Object.entries(wanted).filter(([, value]) => value !== undefined),
        ) as MemoryFilter
        const theirs = remembered.flatMap(({ state }) =>
          (filter.includeForgotten === true || !forgotten.has(state.id)) && matchesFilter(state, filter)
            ? [state.id]
            : [],
        )
        expect(await few(scope, filter)).toEqual(theirs.toSorted())
      }),
      { numRuns: 60 },
    )
  })
})

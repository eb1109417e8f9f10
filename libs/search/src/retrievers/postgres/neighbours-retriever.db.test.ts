import type { MemoryFilter } from '@daybook/memory/filter'
import { note } from '@daybook/memory/testing/commands'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachOnce } from '../../once.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { RetrieverInput } from '../query-terms.ts'
import { hitCondition } from './constraint.ts'
import { findNeighbours, gatherNeighbours } from './neighbours-retriever.ts'

describe.each(TEST_DATABASES)('neighbours on $name', ({ start }) => {
  let harness: ReadModelHarness
  let scope: ProjectScope
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  const inputOf = (filter: MemoryFilter = {}, query = 'turn'): RetrieverInput => ({
    scope,
    readModel: harness.readModel,
    condition: hitCondition(harness.readModel.tables, filter, parseQuery(query)),
    includeForgotten: false,
    limit: 100,
  })
  const find = (ids: readonly string[], filter?: MemoryFilter, query?: string) =>
    findNeighbours(inputOf(filter, query), ids)

  /** Nine turns of one conversation, with others in between. */
  async function conversation(): Promise<string[]> {
    scope = await harness.newProject()
    const inputs = Array.from({ length: 9 }, (_, index) => [
      note(`turn ${index}`, { context: 'chat', importance: index }),
      note(`aside ${index}`, { context: 'other chat' }),
      note(`alone ${index}`),
      { content: { kind: 'insight', fields: { content: 'of another kind' } }, context: 'chat' },
    ]).flat()
    const memories = await harness.remember(scope, ...inputs)
    return memories.flatMap(({ state }, index) => (index % 4 === 0 ? [state.id] : []))
  }

  it('are the three before and after in the same context and of the same kind, nearest first', async () => {
    const turns = await conversation()
    const { neighbourhoods } = await find([turns[4]!, turns[0]!])
    expect(neighbourhoods.get(turns[4]!)).toEqual({
      memoryId: turns[4],
      context: 'chat',
      before: [turns[3], turns[2], turns[1]],
      after: [turns[5], turns[6], turns[7]],
    })
    expect(neighbourhoods.get(turns[0]!)).toMatchObject({ before: [], after: [turns[1], turns[2], turns[3]] })
  })

  it('keep their places when one is revised; one that is forgotten leaves the row', async () => {
    const turns = await conversation()
    await harness.append(
      scope,
      { type: 'revise', id: turns[3]!, input: note('turn 3, revised') },
      { type: 'forget', id: turns[5]! },
    )
    await harness.apply(scope)
    const { neighbourhoods } = await find([turns[4]!])
    expect(neighbourhoods.get(turns[4]!)).toMatchObject({
      before: [turns[3], turns[2], turns[1]],
      after: [turns[6], turns[7], turns[8]],
    })
  })

  it('keep their places when the search excludes them, but may not be hits', async () => {
    const turns = await conversation()
    const { neighbourhoods, eligible } = await find([turns[4]!], { minImportance: 4 })
    expect(neighbourhoods.get(turns[4]!)?.before).toEqual([turns[3], turns[2], turns[1]])
    expect([...eligible].toSorted()).toEqual([turns[5], turns[6], turns[7]].toSorted())
    const excluding = await find([turns[4]!], {}, 'turn -"5"')
    expect([...excluding.eligible]).not.toContain(turns[5])
    expect([...excluding.eligible]).toContain(turns[6])
  })

  it('a memory without a context has none', async () => {
    await conversation()
    const [alone] = await harness.remember(scope, note('alone again'))
    expect((await find([alone!.state.id])).neighbourhoods.size).toBe(0)
    expect((await find([])).neighbourhoods.size).toBe(0)
  })

  it('are looked up as candidates become known, each candidate once', async () => {
    const turns = await conversation()
    const [first, second] = [turns[4]!, turns[0]!]
    let asked = 0
    const input = { ...inputOf(), onRetriever: () => (asked += 1) }
    const neighbours = eachOnce((ids) => findNeighbours(input, ids), gatherNeighbours)
    void neighbours([first])
    void neighbours([first, second])
    void neighbours([second, first])
    void neighbours([])
    expect(await neighbours([first, second])).toEqual(await find([first, second]))
    expect(asked).toBe(2)
    const third = turns[7]!
    expect((await neighbours([third])).neighbourhoods).toEqual((await find([third])).neighbourhoods)
    expect(asked).toBe(3)
    // Those that were looked up and are not asked for do not count.
    expect([...(await neighbours([second])).neighbourhoods.keys()]).toEqual([second])
    expect(asked).toBe(3)
  })

  it('that cannot be looked up are told to whoever waits for them, and to nobody else', async () => {
    const [turn] = await conversation()
    const failing = { ...inputOf(), condition: sql<boolean>`no_such_column` }
    const begin = () => eachOnce((ids) => findNeighbours(failing, ids), gatherNeighbours)
    void begin()([turn!])
    const neighbours = begin()
    void neighbours([turn!])
    await expect(neighbours([turn!])).rejects.toThrow(/no_such_column/u)
  })
})

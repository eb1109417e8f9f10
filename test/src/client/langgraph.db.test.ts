import { createClient, type DaybookClient } from '@daybook/client'
import { createDaybookStore } from '@daybook/client/langgraph'
import { useTestGateway } from '@daybook/gateway/testing/test-gateway'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import {
  type BaseStore,
  InMemoryStore,
  InvalidNamespaceError,
  type Operation,
} from '@langchain/langgraph-checkpoint'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { failureOf } from './failure-of.ts'

describe.each(SERVICE_DATABASES)('LangGraph’s store on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let client: DaybookClient
  let store: BaseStore
  beforeEach(() => {
    client = createClient({ url: suite.client.url, apiKey: suite.client.key })
    store = createDaybookStore(client)
  })

  // LangGraph publishes no tests for stores of others: these are those of its own store in memory
  // (langgraphjs, libs/checkpoint/src/tests/store.db.test.ts).

  test('puts, gets, replaces and deletes', async () => {
    await store.put(['test'], '123', { value: 1 })
    const first = await store.get(['test'], '123')
    expect(first).toEqual({
      value: { value: 1 },
      key: '123',
      namespace: ['test'],
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    })
    await store.put(['test'], '123', { value: 2 })
    const second = await store.get(['test'], '123')
    expect(second?.value).toEqual({ value: 2 })
    expect(second?.createdAt).toEqual(first?.createdAt)
    expect(second?.updatedAt.getTime()).toBeGreaterThan(first?.updatedAt.getTime() ?? 0)
    await expect(store.delete(['test'], '123')).resolves.toBeUndefined()
    expect(await store.get(['test'], '123')).toBeNull()
    await expect(store.delete(['test'], 'never')).resolves.toBeUndefined()
    await store.put(['test'], '123', { value: 3 })
    expect((await store.get(['test'], '123'))?.value).toEqual({ value: 3 })
  })

  test('refuses the namespaces that LangGraph forbids', async () => {
    const forbidden = [[], ['the', 'thing.about'], ['some', 'fun', ''], ['langgraph', 'foo'], ['a:b']]
    for (const namespace of forbidden)
      await expect(store.put(namespace, 'foo', { foo: 'bar' })).rejects.toThrow(InvalidNamespaceError)
    await expect(store.batch([{ namespace: [], key: 'a', value: {} }])).rejects.toThrow(InvalidNamespaceError)
    const [inside, root] = [
      ['foo', 'langgraph', 'foo'],
      ['langgraph', 'foo'],
    ]
    await store.put(inside, 'bar', { foo: 'bar' })
    await store.batch([{ namespace: root, key: 'bar', value: { foo: 'bar' } }])
    for (const namespace of [inside, root]) {
      expect((await store.get(namespace, 'bar'))?.value).toEqual({ foo: 'bar' })
      expect(await store.search(namespace)).toMatchObject([{ value: { foo: 'bar' } }])
      await store.delete(namespace, 'bar')
      expect(await store.get(namespace, 'bar')).toBeNull()
    }
  })

  test('lists namespaces', async () => {
    const paths = ['a:b:c', 'a:b:d', 'a:c:e', 'x:y:z']
    await store.batch(
      paths.map((path, index) => ({ namespace: path.split(':'), key: `${index}`, value: { index } })),
    )
    const listed = async (options: Parameters<BaseStore['listNamespaces']>[0]) =>
      (await store.listNamespaces(options)).map((namespace) => namespace.join(':'))
    expect(await listed({})).toEqual(paths)
    expect(await listed({ prefix: ['a'] })).toEqual(paths.slice(0, 3))
    expect(await listed({ suffix: ['d'] })).toEqual(['a:b:d'])
    expect(await listed({ maxDepth: 2 })).toEqual(['a:b', 'a:c', 'x:y'])
    expect(await listed({ limit: 2, offset: 1 })).toEqual(['a:b:d', 'a:c:e'])
    expect(await listed({ prefix: ['a'], suffix: ['c'], maxDepth: 2 })).toEqual(['a:b'])
    expect(await listed({ prefix: ['a', '*', 'c'] })).toEqual(['a:b:c'])
    expect(await listed({ suffix: ['*', 'z'] })).toEqual(['x:y:z'])
    expect(await listed({ prefix: ['non', 'existent'] })).toEqual([])
  })

  test('searches by words and meaning within a prefix, with filters and pages', async () => {
    await store.batch([
      { namespace: ['docs', 'zoo'], key: '1', value: { text: 'the giraffe sleeps standing', year: 2001 } },
      { namespace: ['docs', 'zoo'], key: '2', value: { text: 'the giraffe eats leaves', year: 2024 } },
      { namespace: ['docs', 'sea'], key: '3', value: { text: 'a whale dives' } },
      { namespace: ['docsother'], key: '4', value: { text: 'the giraffe of others' } },
      { namespace: ['docs', 'zoo'], key: '5', value: { text: 'a hidden giraffe' }, index: false },
      {
        namespace: ['docs', 'zoo'],
        key: '6',
        value: { text: 'a giraffe', title: 'a horse' },
        index: ['title'],
      },
    ])
    const keys = async (...search: Parameters<BaseStore['search']>) =>
      (await store.search(...search)).map(({ key }) => key).toSorted()
    const [best] = await store.search(['docs'], { query: 'giraffe sleeps' })
    expect(best).toMatchObject({ key: '1', namespace: ['docs', 'zoo'], score: expect.any(Number) })
    expect(await keys(['docs'], { query: 'whale' })).toContain('3')
    expect(await keys(['docs'], { query: 'giraffe' })).not.toContain('5')
    expect((await store.search(['docs'], { query: 'horse' }))[0]?.key).toBe('6')
    expect(await keys(['docs'])).toEqual(['1', '2', '3', '5', '6'])
    expect(await keys([])).toHaveLength(6)
    expect(await keys(['docs'], { filter: { year: { $gte: 2001, $lt: 2024 } } })).toEqual(['1'])
    expect(await keys(['docs'], { filter: { year: 2024 }, query: 'giraffe' })).toEqual(['2'])
    expect(await keys(['docs'], { filter: { year: { $in: [2001, 2024] } } })).toEqual(['1', '2'])
    const pages = [
      await store.search(['docs'], { limit: 3 }),
      await store.search(['docs'], { limit: 3, offset: 3 }),
    ]
    expect(
      pages
        .flat()
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(['1', '2', '3', '5', '6'])
  })

  test('keeps any value of JSON as it is, of up to some 60 KiB', async () => {
    const values = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }), {
      maxKeys: 5,
    })
    const given = [
      ...fc.sample(values, 15),
      { b: 1, a: { z: [null, -1.5e-9], y: 'NUL \u0000, half a pair \uD800' } },
      { long: 'é"\n'.repeat(8_000) },
    ]
    await store.batch(given.map((value, index) => ({ namespace: ['values'], key: `${index}`, value })))
    const kept = await store.batch(given.map((_, index) => ({ namespace: ['values'], key: `${index}` })))
    expect(kept.map((item) => JSON.stringify(item?.value))).toEqual(
      given.map((value) => JSON.stringify(value)),
    )
    const tooLong = await failureOf(store.put(['values'], 'long', { text: 'x'.repeat(70_000) }))
    expect(tooLong).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('64 KiB') })
  })

  test('does what LangGraph’s own store does', async () => {
    const label = fc.constantFrom('a', 'b', 'ab', 'é'.repeat(40))
    const namespace = fc.array(label, { minLength: 1, maxLength: 3 })
    const key = fc.constantFrom('k', 'ключ', 'k'.repeat(80))
    const value = fc.record({ n: fc.nat(3) })
    const operation = fc.oneof(
      { weight: 3, arbitrary: fc.record({ namespace, key, value }) },
      fc.record({ namespace, key, value: fc.constant(null) }),
      fc.record({ namespace, key }),
      fc.record({
        namespacePrefix: fc.array(label, { maxLength: 2 }),
        filter: fc.option(fc.record({ n: fc.nat(3) }), { nil: undefined }),
        limit: fc.constant(1_000),
        offset: fc.constant(0),
      }),
      fc.record({
        matchConditions: fc.option(
          fc.array(
            fc.record({
              matchType: fc.constantFrom('prefix', 'suffix'),
              path: fc.array(label, { maxLength: 2 }),
            }),
            { maxLength: 2 },
          ),
          { nil: undefined },
        ),
        maxDepth: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
        limit: fc.constant(1_000),
        offset: fc.constant(0),
      }),
    ) as fc.Arbitrary<Operation>
    const own = new InMemoryStore()
    for (const operations of fc.sample(fc.array(operation, { minLength: 1, maxLength: 12 }), 8)) {
      const expected = comparable(operations, await inOwn(own, operations))
      expect(comparable(operations, await store.batch(operations)), JSON.stringify(operations)).toEqual(
        expected,
      )
    }
  })
})

/** Runs the reads first, as both stores do, and keeps what they gave: that store changes items that it has given. */
async function inOwn(own: BaseStore, operations: readonly Operation[]): Promise<unknown[]> {
  const reads = structuredClone(await own.batch(operations.filter((one) => !('value' in one))))
  await own.batch(operations.filter((one) => 'value' in one))
  return operations.map((one) => ('value' in one ? undefined : reads.shift()))
}

/**
 * What both stores must agree on. Times differ, and so does the order where nothing was asked. LangGraph's own store
 * also lists namespaces that are empty by now, and takes ["ab"] for a part of ["a"].
 */
function comparable(operations: readonly Operation[], results: readonly unknown[]): unknown[] {
  return results.map((result, index) => {
    const operation = operations[index]
    if (operation === undefined || 'value' in operation) return 'put'
    if (!('namespacePrefix' in operation)) return 'key' in operation ? valueOf(result) : 'list'
    const { namespacePrefix } = operation
    return (result as { namespace: string[]; key: string; value: unknown }[])
      .filter(({ namespace }) => namespacePrefix.every((one, place) => one === namespace[place]))
      .map(({ namespace, key, value }) => JSON.stringify([namespace, key, value]))
      .toSorted()
  })
}

const valueOf = (item: unknown): unknown => (item as { value?: unknown } | null)?.value ?? null

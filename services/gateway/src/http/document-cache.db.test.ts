import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestClient, type TestGateway } from '../testing/test-gateway.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

let database: TestDatabase
let running: TestGateway
let client: TestClient
beforeAll(async () => {
  const [embedded] = TEST_DATABASES
  if (embedded === undefined) throw new Error('there is no database to test on')
  database = await embedded.start()
  running = await startTestGateway(database)
  client = await running.newClient()
})
afterAll(async () => {
  await running?.stop()
  await database?.stop()
})

const MIB = 1024 ** 2
const REQUESTS = 80

/** Sends different requests, one after another. @returns by how many MiB the heap grew */
async function growth(query: (number: number) => string, variables?: object): Promise<number> {
  const used = async () => {
    collectGarbage()
    // What only a finalizer holds is gone after the second.
    await setImmediate()
    collectGarbage()
    return process.memoryUsage().heapUsed / MIB
  }
  await client.send(query(-1), variables)
  const before = await used()
  for (let number = 0; number < REQUESTS; number += 1) await client.send(query(number), variables)
  return (await used()) - before
}

// Each of these took 40 MiB or more, and a thousand of them all the memory there was.
test.each([
  ['that cannot be parsed', (number: number) => `{ a${number} ${'#'.repeat(900_000)}`, undefined],
  [
    'that are not valid',
    (number: number) => `query ($a: String) { nothing${number}(a: $a) }`,
    { a: 'x'.repeat(900_000) },
  ],
  [
    'that are valid and long',
    (number: number) =>
      `{ a${number}: memories(filter: { labelsAny: [${'"x" '.repeat(1_900)}] }) { pageInfo { hasNextPage } } }`,
    undefined,
  ],
])('documents %s are not kept', async (_, query, variables) => {
  expect(await growth(query, variables)).toBeLessThan(30)
})

test('a document that is sent again is the same', async () => {
  const ask = () => client.data('query ($first: Int) { memories(first: $first) { edges { node { id } } } }')
  expect(await ask()).toEqual(await ask())
})

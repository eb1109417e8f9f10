import { afterAll, describe, expect, test } from 'vitest'
import { createTestDaemon, DaemonDidNotStart } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

/**
 * The promise: "a second daemon on the same data folder — refused with a message that names the running one".
 */
describe('a second daemon on the same data folder', () => {
  const first = createTestDaemon()
  const second = createTestDaemon(first.dataDir)
  afterAll(async () => {
    await second.kill()
    await first.remove()
  })

  test('is refused with the process and the address of the first, which goes on undisturbed', async () => {
    await first.start()
    const refusal = await second.start().catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(DaemonDidNotStart)
    expect(String(refusal)).toContain(`process ${first.pid()}`)
    expect(String(refusal)).toMatch(/at http:\/\/127\.0\.0\.1:\d+/)
    expect(String(refusal)).toContain('DAYBOOK_DATA_DIR')
    dataOf(await first.graphql({ query: '{ projections { name } }' }))
  })

  test('may start as soon as the first has been killed, and finds everything', async () => {
    dataOf(
      await first.graphql({
        query: 'mutation { remember(input: { content: { note: { text: "kept" } } }) { __typename } }',
      }),
    )
    await first.kill()
    await second.start()
    const { journal } = dataOf(
      await second.graphql<{ journal: { memory: { text: string } }[] }>({
        query: '{ journal { memory { text } } }',
      }),
    )
    expect(journal).toEqual([{ memory: { text: 'kept' } }])
    expect(await second.stop()).toBe(0)
  })
})

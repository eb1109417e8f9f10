import { pause } from '@daybook/runtime/backoff'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

const REMEMBER = `mutation ($text: String!, $key: String!) {
  remember(input: { content: { note: { text: $text } }, idempotencyKey: $key }) { ... on Remembered { sequence duplicate } }
}`

interface Remembered {
  remember: { sequence: number; duplicate: boolean }
}

/**
 * The promise: "Postgres down — writes fail with a retryable error; nothing is acknowledged that is not
 * committed".
 */
describe('while the database is down', () => {
  let daemon: TestDaemon
  beforeAll(async () => {
    daemon = createTestDaemon()
    await daemon.start()
  })
  afterAll(() => daemon?.remove())

  const remember = (text: string) =>
    daemon.graphql<Remembered>({ query: REMEMBER, variables: { text, key: text } })

  test('writes fail with a retryable error, and repeated they succeed exactly once', async () => {
    expect(dataOf(await remember('before')).remember.sequence).toBe(1)
    daemon.killDatabase()

    const refusals = []
    const acknowledged = []
    for (let i = 0; i < 10; i += 1) {
      const answer = await remember(`during ${i}`)
      if (answer.errors.length > 0) refusals.push(answer.errors[0])
      else acknowledged.push(dataOf(answer).remember.sequence)
    }
    expect(refusals.length).toBeGreaterThan(0)
    for (const refusal of refusals)
      expect(refusal?.extensions).toMatchObject({ code: 'UNAVAILABLE', retryable: true })

    expect(await daemon.ready()).toBe(true)
    for (let i = 0; i < 10; i += 1) dataOf(await remember(`during ${i}`))
    const { journal } = dataOf(
      await daemon.graphql<{ journal: { sequence: number; memory: { text: string } }[] }>({
        query: '{ journal { sequence memory { text } } }',
      }),
    )
    expect(journal.map((event) => event.sequence)).toEqual(Array.from({ length: 11 }, (_, i) => i + 1))
    expect(new Set(journal.map((event) => event.memory.text)).size).toBe(11)
    for (const sequence of acknowledged) expect(journal.map((event) => event.sequence)).toContain(sequence)
  })

  test('/ready says so, /health does not mind, and the daemon itself lives on', async () => {
    const { pid } = { pid: daemon.pid() }
    daemon.killDatabase()
    expect(await daemon.ready()).toBe(true)
    await pause(100)
    expect(daemon.pid()).toBe(pid)
  })

  test('/ready and /metrics answer although the database hangs', async () => {
    const { url, pid } = { url: daemon.url(), pid: daemon.databasePid() }
    if (pid === undefined) throw new Error('there is no database')
    process.kill(pid, 'SIGSTOP')
    try {
      const ready = await fetch(`${url}/ready`)
      expect(ready.status).toBe(503)
      expect(await ready.json()).toMatchObject({ problems: [expect.stringContaining('does not answer')] })
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^daybook_database_up\{.*\} 0$/mu)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect(await daemon.ready()).toBe(true)
  })
})

import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usingDaemon } from '../erasure/fill-and-delete.ts'
import { askDatabase } from '../support/ask-database.ts'
import { createTestDaemon, DaemonDidNotStart, type TestDaemon } from '../support/daemon.ts'

const PAGE = 8_192
/** So many that the page of events that is damaged is not the last one, into which events are written. */
const COUNT = 200

/** Flips some bits in the middle of a page of a file. */
function damage(path: string, page = 0): void {
  const file = openSync(path, 'r+')
  const bytes = Buffer.alloc(4)
  const at = page * PAGE + PAGE - 200
  readSync(file, bytes, 0, bytes.length, at)
  writeSync(file, Buffer.from(bytes.map((byte) => byte ^ 0x5a)), 0, bytes.length, at)
  closeSync(file)
}

/** What follows from the journal is made again by itself; what does not is named, and the rest goes on. */
describe('a file of the embedded database with flipped bits', () => {
  let daemon: TestDaemon
  let use: ReturnType<typeof usingDaemon>
  const files: Record<string, string> = {}
  /** The live one of the read model. */
  let generation = 1
  beforeAll(async () => {
    daemon = createTestDaemon(undefined, { environment: { DAYBOOK_EMBEDDER: 'test-hash/64/token-bits-1' } })
    use = usingDaemon(daemon)
    await daemon.start()
    await use.remember('the lighthouse', COUNT, 'coast')
    await use.settled()
    const rows = await askDatabase<{ name: string; path: string }>(
      daemon,
      `select oid::regclass::text as name, pg_relation_filepath(oid) as path from pg_class
       where pg_relation_filepath(oid) is not null`,
    )
    for (const { name, path } of rows) files[name] = join(daemon.dataDir, 'postgres', path)
  })
  afterAll(() => daemon?.remove())

  const found = async () => {
    const { search } = await use.data<{ search: { hits: { memory: { id: string } }[] } }>(
      '{ search(query: "lighthouse", limit: 100) { hits { memory { id } } } }',
    )
    return search.hits.length
  }
  const live = async () => {
    const { generations } = await use.data<{ generations: { generation: number; status: string }[] }>(
      '{ generations { generation status } }',
    )
    return generations.find(({ status }) => status === 'LIVE')?.generation
  }
  const remember = () =>
    daemon.graphql<unknown>({
      query:
        'mutation { remember(input: { content: { note: { text: "one more lighthouse" } } }) { __typename } }',
    })

  test.each([
    [
      'the read model',
      ['pgvector_1.memories', 'embeddings', 'embeddings_pkey', 'events_pkey', 'events_event_id_key'],
    ],
    ['positions', ['positions']],
  ])('is healed where the journal or another table has what was in it: %s', async (_, names) => {
    await daemon.stop()
    for (const name of names) damage(files[name] ?? name)
    await daemon.start()
    while ((await remember()).errors.length > 0) await pause(100)
    while ((await live()) === generation) await pause(100)
    generation = (await live()) ?? generation
    await use.settled()
    expect(await found()).toBe(100)
    const { journal } = await use.data<{ journal: object[] }>(
      `{ journal(after: 1, first: ${COUNT}) { sequence } }`,
    )
    expect(journal).toHaveLength(COUNT)
    const log = daemon.log(1_000_000)
    // That index went with its table.
    for (const name of names.filter((one) => one !== 'embeddings_pkey'))
      expect(log, name).toContain(`${basename(files[name] ?? '')}\\"`)
  })

  test('is named where only a backup has what was in it: what does not need it goes on', async () => {
    await daemon.stop()
    damage(files['events'] ?? '', 3)
    await daemon.start()
    expect(await found()).toBe(100)
    const read = await daemon.graphql<unknown>({ query: '{ journal(first: 200) { sequence } }' })
    expect(read.errors[0]).toMatchObject({
      message: expect.stringContaining('invalid page in block 3'),
      extensions: { code: 'UNAVAILABLE' },
    })
    while (!daemon.log(1_000_000).includes('the table daybook.events is damaged')) await pause(50)
    const again = await daemon.graphql<unknown>({ query: '{ journal(first: 200) { sequence } }' })
    expect(again.errors[0]?.message).toMatch(/of the table daybook\.events .*docs\/failures\.md/u)
    expect((await remember()).errors).toEqual([])
  })

  test('stops the start with the name of its table, and no stack, where nothing works without it', async () => {
    await daemon.stop()
    damage(files['api_keys'] ?? '')
    const failure: unknown = await daemon.start().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(DaemonDidNotStart)
    expect(String(failure)).toMatch(/cannot start: .* of the table daybook\.api_keys .*docs\/failures\.md/u)
    expect(daemon.log(2_000).split('cannot start')[1]).not.toMatch(/\n\s+at /u)
  })
})

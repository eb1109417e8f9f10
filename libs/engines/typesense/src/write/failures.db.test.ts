import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { placeAt } from '@daybook/journal/testing/place-at'
import { UnavailableError } from '@daybook/memory/errors'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { PositionMoved } from '@daybook/projection/projection'
import type { Faults } from '@daybook/typesense-double/server/faults'
import { TYPESENSE_SERVERS } from '@daybook/typesense-double/typesense-servers'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTypesenseClient, type TypesenseClient } from '../client/client.ts'
import { TypesenseUnavailableError } from '../client/errors.ts'
import { typesenseStatus } from '../read/report.ts'
import { startTypesenseHarness, type TypesenseHarness } from '../testing/typesense-harness.ts'
import { ensureAlias } from './collection.ts'
import { keepCollection } from './keep-collection.ts'

const [DOUBLE] = TYPESENSE_SERVERS

/** Each test begins with a server that answers. */
describe.each(TEST_DATABASES)('when Typesense fails ($name)', (database) => {
  let harness: TypesenseHarness
  let faults: Faults
  beforeAll(async () => {
    if (DOUBLE === undefined) throw new Error('there is no double')
    harness = await startTypesenseHarness(database, DOUBLE)
    if (harness.typesense.faults === null) throw new Error('the double has no faults')
    faults = harness.typesense.faults
  })
  afterEach(async () => {
    faults.failLines(null)
    faults.notReady(false)
    faults.slow(0)
    await faults.accept()
  })
  afterAll(() => harness?.stop())

  const status = (scope: ProjectScope) => typesenseStatus(scope, harness.generation)
  /** Retries after a while, like the projector, whatever the reason. */
  const applyAtLast = (scope: ProjectScope) =>
    vi.waitUntil(
      () =>
        harness.apply(scope).then(
          () => true,
          () => false,
        ),
      { interval: 50 },
    )
  const parked = ({ db, projectId }: ProjectScope) =>
    db
      .selectFrom('parked_events')
      .select(['sequence', 'memory_id', 'error'])
      .where('project_id', '=', projectId)
      .orderBy('sequence')
      .execute()

  it('parks the event whose line is refused, with what the server said, and later ones of that memory only', async () => {
    const scope = await harness.newProject()
    const commands = Array.from({ length: 20 }, (_, index) => rememberCommand(note(`one of many ${index}`)))
    const bad = commands[7]?.id ?? ''
    await harness.append(scope, ...commands)
    faults.failLines((document) => (document.memory_id === bad ? 'Field `text` is haunted.' : null))
    await harness.apply(scope)
    await harness.append(
      scope,
      { type: 'revise', id: bad, input: note('again') },
      rememberCommand(note('after')),
    )
    await harness.apply(scope)
    const rows = await parked(scope)
    expect(rows.map(({ sequence, memory_id }) => [sequence, memory_id])).toEqual([
      [8, bad],
      [21, bad],
    ])
    expect(rows[0]?.error).toContain('Field `text` is haunted.')
    expect(await status(scope)).toMatchObject({ position: 22, lag: 0, parked: 2 })
    expect(await harness.check(scope)).toEqual([])
  })

  it('sends lines again that failed once, and only those', async () => {
    const scope = await harness.newProject()
    const commands = Array.from({ length: 5 }, (_, index) => rememberCommand(note(`stumbles ${index}`)))
    const sent: unknown[] = []
    let stumbles = 1
    faults.failLines((document) => {
      sent.push(document.memory_id)
      return document.memory_id === commands[2]?.id && stumbles-- > 0 ? 'stumbled' : null
    })
    await harness.append(scope, ...commands)
    await harness.apply(scope)
    expect(sent).toEqual([...commands.map(({ id }) => id), commands[2]?.id])
    expect(await status(scope)).toMatchObject({ position: 5, parked: 0 })
    expect(await harness.check(scope)).toEqual([])
  })

  const OUTAGES: [string, { begin(): Promise<void> | void; end(): Promise<void> | void }][] = [
    ['answers 503', { begin: () => faults.notReady(true), end: () => faults.notReady(false) }],
    ['refuses connections', { begin: () => faults.refuse(), end: () => faults.accept() }],
  ]
  it.each(OUTAGES)(
    'that %s, nothing is parked, and everything is written afterwards',
    async (_, { begin, end }) => {
      const scope = await harness.newProject()
      await harness.append(scope, rememberCommand(note('before')))
      await applyAtLast(scope)
      await begin()
      const revised = rememberCommand(note('meanwhile'))
      await harness.append(scope, revised, {
        type: 'revise',
        id: revised.id,
        input: note('revised meanwhile'),
      })
      await expect(harness.apply(scope)).rejects.toThrow(UnavailableError)
      await expect(harness.apply(scope)).rejects.toThrow(UnavailableError)
      expect(await status(scope)).toMatchObject({ position: 1, lag: 2, parked: 0 })
      await end()
      await applyAtLast(scope)
      expect(await status(scope)).toMatchObject({ position: 3, lag: 0, parked: 0 })
      expect(await harness.check(scope)).toEqual([])
    },
  )

  it('that does not answer in time may carry the call out later: the project waits so long', async () => {
    const scope = await harness.newProject()
    await harness.append(scope, rememberCommand(note('asked too late')))
    const { url, apiKey } = harness.typesense
    const client = createTypesenseClient({ url, apiKey, timeoutMs: 100 })
    const { projection, generationWriter } = harness.replica({ client, leaseMs: 1_800_000 })
    await keepCollection(harness.db, generationWriter)
    const events = (await readJournal(scope, { after: 0, limit: 1 })).map(readable)
    const [from, to] = [await placeAt(scope, 0), await placeAt(scope, 1)]
    const apply = () => projection.apply(scope, { from, to, events, parked: [], erased: [] })
    faults.slow(1_000)
    await expect(apply()).rejects.toThrow('does not answer')
    faults.slow(0)
    await expect(apply()).rejects.toThrow('had no answer')
    await expect(harness.apply(scope)).rejects.toThrow(PositionMoved)
    expect(await status(scope)).toMatchObject({ position: 0, lag: 1, parked: 0 })
    await sql`update positions set leased_until = now() - interval '1 s' where project_id = ${scope.projectId}`.execute(
      harness.db,
    )
    await harness.apply(scope)
    expect(await status(scope)).toMatchObject({ position: 1, lag: 0, parked: 0 })
    expect(await harness.check(scope)).toEqual([])
    client.close()
  })

  it('loses everything: the generation is written from the beginning, vectors too', async () => {
    const [one, other] = [await harness.newProject(), await harness.newProject()]
    for (const scope of [one, other]) {
      await harness.append(
        scope,
        rememberCommand(note('written before the loss')),
        rememberCommand(note('and this')),
      )
      await applyAtLast(scope)
    }
    await harness.embed()
    await harness.fill()
    await nextSecond()
    faults.loseEverything()
    await harness.append(one, rememberCommand(note('written after the loss')))
    await expect(harness.apply(one)).rejects.toThrow(PositionMoved)
    expect(await status(other)).toMatchObject({ position: 0, lag: 2, pendingEmbeddings: 0 })
    for (const scope of [one, other]) {
      await applyAtLast(scope)
      await harness.embed()
      await harness.fill()
      expect(await harness.check(scope)).toEqual([])
      expect(await status(scope)).toMatchObject({ lag: 0, pendingEmbeddings: 0 })
    }
    // The alias is back too.
    const alias = await harness.client.request((typesense) => typesense.aliases(harness.base).retrieve())
    expect(alias.collection_name).toBe(harness.generationWriter.collection)
  })

  it('loses everything while a call has no answer: nobody writes the project before that call can have no effect', async () => {
    const scope = await harness.newProject()
    const memory = rememberCommand(note('first text'))
    await harness.append(scope, memory, { type: 'revise', id: memory.id, input: note('second text') })
    let arrive = (): Promise<unknown> => Promise.reject(new Error('nothing was sent'))
    const client: TypesenseClient = {
      ...harness.client,
      async importLines(...call) {
        arrive = () => harness.client.importLines(...call)
        throw new TypesenseUnavailableError('there was no answer', true)
      },
    }
    const { projection, generationWriter } = harness.replica({ client, leaseMs: 1_800_000 })
    await keepCollection(harness.db, generationWriter)
    const events = (await readJournal(scope, { after: 0, limit: 1 })).map(readable)
    const [from, to] = [await placeAt(scope, 0), await placeAt(scope, 1)]
    await expect(projection.apply(scope, { from, to, events, parked: [], erased: [] })).rejects.toThrow(
      'there was no answer',
    )
    await nextSecond()
    faults.loseEverything()
    await keepCollection(harness.db, harness.generationWriter)
    const other = await harness.apply(scope).catch((error: unknown) => error)
    // It would overwrite the newer text with the older one, for good.
    await arrive()
    await sql`update positions set leased_until = now() - interval '1 s' where project_id = ${scope.projectId}`.execute(
      harness.db,
    )
    await applyAtLast(scope)
    expect(await status(scope)).toMatchObject({ position: 2, lag: 0, parked: 0 })
    expect(await harness.check(scope)).toEqual([])
    expect(other).toBeInstanceOf(PositionMoved)
  })

  it('is found to have lost everything without any event', async () => {
    const scope = await harness.newProject()
    await harness.append(scope, rememberCommand(note('quiet')))
    await applyAtLast(scope)
    await nextSecond()
    faults.loseEverything()
    const replicas = [harness, harness.replica()]
    await Promise.all(replicas.map(({ generationWriter }) => keepCollection(harness.db, generationWriter)))
    expect((await status(scope)).position).toBe(0)
    await applyAtLast(scope)
    await Promise.all(replicas.map(({ generationWriter }) => keepCollection(harness.db, generationWriter)))
    expect(await status(scope)).toMatchObject({ position: 1 })
    expect(await harness.check(scope)).toEqual([])
  })

  it('the alias follows the live generation, wherever it led', async () => {
    const { client, base, generationWriter, generation } = harness
    const target = async () =>
      (await client.request((typesense) => typesense.aliases(base).retrieve())).collection_name
    const point = (name: string) =>
      client.request((typesense) => typesense.aliases().upsert(base, { collection_name: name }))
    const elsewhere = `${base}_g2`
    await client.request((typesense) =>
      typesense.collections().create({ name: elsewhere, fields: [{ name: 'a', type: 'string' }] }),
    )
    await point(elsewhere)
    expect(await target()).toBe(elsewhere)
    await ensureAlias(client, generation.generation, base)
    expect(await target()).toBe(generationWriter.collection)
    await client.request((typesense) => typesense.collections(elsewhere).delete())
    await point(elsewhere)
    await ensureAlias(client, generation.generation, base)
    expect(await target()).toBe(generationWriter.collection)
  })
})

/** If a server keeps no metadata, collections are told apart by the second of their creation. */
async function nextSecond(): Promise<void> {
  const before = Math.floor(Date.now() / 1_000)
  await vi.waitUntil(() => Math.floor(Date.now() / 1_000) > before, { interval: 20 })
}

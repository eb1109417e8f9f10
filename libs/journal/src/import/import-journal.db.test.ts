import { readFile } from 'node:fs/promises'
import { newId } from '@daybook/memory/id'
import { accessOfKey, createApiKey } from '@daybook/postgres/access/api-keys'
import { beginDeletion } from '@daybook/postgres/access/delete-project'
import { ensureProject } from '@daybook/postgres/access/projects'
import { projectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { rowsWith } from '@daybook/postgres/testing/rows-with'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppendRequest } from '../append/append-request.ts'
import { appendOne, createJournalWriter } from '../append/journal-writer.ts'
import { verifyJournal } from '../chain/verify-journal.ts'
import { readHead, readJournal } from '../read/read.ts'
import { eraseEvents } from '../testing/erase.ts'
import { bytesOf, exported, rechained, withRightEnd } from '../testing/exports.ts'
import { forgetting, note, restoring, revision } from '../testing/requests.ts'
import { changeActor } from '../testing/tamper.ts'
import { type ImportOptions, importJournal } from './import-journal.ts'

const writer = createJournalWriter(() => {})

/*
 * From the first database to the last: if there is a native Postgres, from one kind to the other.
 */
const KINDS = TEST_DATABASES.map((kind, index) => ({
  kind,
  other: TEST_DATABASES[TEST_DATABASES.length - 1 - index] ?? kind,
}))

describe.each(KINDS)('a journal exported from $kind.name into $other.name', ({ kind, other }) => {
  let source: TestDatabase
  let target: TestDatabase
  beforeAll(async () => {
    source = await kind.start()
    target = await other.start()
  })
  afterAll(async () => {
    await source?.stop()
    await target?.stop()
  })

  /**
   * A project with revisions, forgotten memories, keys of requests that changed nothing, and unreadable
   * events.
   */
  async function project({ events = 40, name = `test-${newId()}` } = {}) {
    const scope = projectScope(source.db, await ensureProject(source.db, name))
    const { memory } = await appendOne(writer, scope, note('first', { idempotencyKey: 'ä "first"' }))
    const { id } = memory.state
    await appendOne(writer, scope, { ...forgetting(id), idempotencyKey: 'z' })
    await appendOne(writer, scope, { ...forgetting(id), idempotencyKey: 'Z changes nothing' })
    await appendOne(writer, scope, restoring(id))
    for (let number = 4; number <= events; number += 1)
      await appendOne(writer, scope, {
        ...revision(
          id,
          `text ${number} é \u{1f600}`,
          number % 2 === 0 ? { idempotencyKey: `key ${number}` } : {},
        ),
        metadata: { actor: 'me', correlationId: `c ${number}`, causationId: null, traceparent: '00-0-0-01' },
      })
    return { scope, name, id }
  }

  const importText = (text: string, options: ImportOptions = {}) =>
    importJournal(target.db, bytesOf(text), options)
  const there = (projectId: string) => projectScope(target.db, projectId)

  it('is the same there, byte for byte, whole', async () => {
    await project()
    await project({ events: 3 })
    await source.newProject()
    const text = await exported(source.db)
    expect(text).toBe(await exported(source.db))
    const result = await importText(text, { batchEvents: 7 })
    expect(result.imported).toBeGreaterThanOrEqual(43)
    expect(result).toMatchObject({ alreadyThere: 0 })
    expect(await exported(target.db)).toBe(text)

    const again = await importText(text)
    expect(again).toEqual({ ...result, imported: 0, alreadyThere: result.imported })
    expect(await exported(target.db)).toBe(text)
    for (const { id, events } of result.projects)
      expect(await verifyJournal(there(id))).toMatchObject({ events, problems: 0 })
  })

  it('by the last version before the baseline of migrations is taken as it is: its tables were others', async () => {
    const file = new URL('../testing/export-before-baseline.jsonl', import.meta.url)
    const { projects, imported } = await importText(await readFile(file, 'utf8'))
    expect(imported).toBe(10)
    for (const { id, events } of projects)
      expect(await verifyJournal(there(id))).toMatchObject({ events, problems: 0 })
    const [before] = projects
    const ships = { idempotencyKey: 'ships', text: 'The lighthouse keeper counts the ships' }
    const again = note(ships.text, { idempotencyKey: ships.idempotencyKey })
    const { input } = again.command as { input: object }
    const given = { ...input, context: 'harbour', labels: ['sea'], agent: 'planner' }
    expect(
      await appendOne(writer, there(before?.id ?? ''), {
        ...again,
        command: { ...again.command, input: given } as typeof again.command,
      }),
    ).toMatchObject({ duplicate: true, memory: { version: 1 } })
  })

  it('of one project keeps ids, sequences and times, knows repeated requests, and goes on', async () => {
    const { scope, name, id } = await project()
    const result = await importText(await exported(source.db, [scope.projectId]))
    expect(result.projects).toEqual([{ id: scope.projectId, name, events: 40, tookOver: false }])
    const here = there(scope.projectId)
    const untraced = (await readJournal(scope, { after: 0, limit: 100 })).map(
      (record) => record.event && { ...record.event, traceparent: null },
    )
    const imported = (await readJournal(here, { after: 0, limit: 100 })).map((record) => record.event)
    expect(imported).toEqual(untraced)

    const repeated = await appendOne(writer, here, note('first', { idempotencyKey: 'ä "first"' }))
    expect(repeated).toMatchObject({ duplicate: true, memory: { version: 1, state: { id } } })
    const nothing = await appendOne(writer, here, { ...forgetting(id), idempotencyKey: 'Z changes nothing' })
    expect(nothing).toMatchObject({ duplicate: true, memory: { version: 2 } })
    await expect(appendOne(writer, here, note('other', { idempotencyKey: 'z' }))).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })

    const { event } = await appendOne(writer, here, revision(id, 'after the move'))
    expect(event).toMatchObject({ sequence: 41, version: 41 })
    expect(await verifyJournal(here)).toMatchObject({ events: 41, problems: 0 })
    // Events appended here stay, and the export is still a beginning of the journal.
    expect(await importText(await exported(source.db, [scope.projectId]))).toMatchObject({
      imported: 0,
      alreadyThere: 40,
    })
  })

  it('brings over later what was appended meanwhile, and a key that was used meanwhile for nothing new', async () => {
    const { scope, id } = await project({ events: 10 })
    await importText(await exported(source.db, [scope.projectId]))
    await appendOne(writer, scope, { ...revision(id, 'text 10 é \u{1f600}'), idempotencyKey: 'meanwhile' })
    await writer.appendMany(scope, [note('eleven'), note('twelve')])
    const text = await exported(source.db, [scope.projectId])
    expect(await importText(text)).toMatchObject({ imported: 2, alreadyThere: 10 })
    expect(await exported(target.db, [scope.projectId])).toBe(text)
  })

  it('goes on where it was broken off, wherever that was', async () => {
    const { scope } = await project({ events: 23 })
    const text = await exported(source.db, [scope.projectId])
    const here = there(scope.projectId)
    const stop = new AbortController()
    const stopped = importText(text, {
      batchEvents: 5,
      signal: stop.signal,
      onProgress({ sequence }) {
        if (sequence === 10) stop.abort()
      },
    })
    await expect(stopped).rejects.toThrow(/abort/u)
    expect(await readHead(here)).toBe(10)
    expect(await verifyJournal(here)).toMatchObject({ events: 10, problems: 0 })

    const broken = importJournal(
      target.db,
      (async function* () {
        yield Buffer.from(text.slice(0, text.length / 2))
        throw new Error('the line went dead')
      })(),
      { batchEvents: 2 },
    )
    await expect(broken).rejects.toThrow('the line went dead')
    const cutOff = text.slice(0, text.lastIndexOf('{"end"'))
    await expect(importText(cutOff, { batchEvents: 1 })).rejects.toMatchObject({
      code: 'INVALID_EXPORT',
      line: 26,
      message: expect.stringContaining('cut off'),
    })
    expect(await verifyJournal(here)).toMatchObject({ events: 23, problems: 0 })

    expect(await importText(text)).toMatchObject({ imported: 0, alreadyThere: 23 })
    expect(await exported(target.db, [scope.projectId])).toBe(text)
  })

  it('imported by two at once is there once', async () => {
    const { scope } = await project({ events: 30 })
    const text = await exported(source.db, [scope.projectId])
    const results = await Promise.all([1, 2].map(() => importText(text, { batchEvents: 4 })))
    expect(results.map(({ imported, alreadyThere }) => imported + alreadyThere)).toEqual([30, 30])
    expect(results.reduce((sum, { imported }) => sum + imported, 0)).toBe(30)
    expect(await exported(target.db, [scope.projectId])).toBe(text)
  })

  it('takes the place of an empty project of its name, whose keys then open it', async () => {
    const name = `default-${newId()}`
    const { scope, id } = await project({ events: 5, name })
    const empty = await ensureProject(target.db, name)
    const keys = await asOwner(target, async (owner) => [
      await createApiKey(owner, empty, 'a'),
      await createApiKey(owner, empty, 'b'),
    ])
    const text = await exported(source.db, [scope.projectId])
    const { projects } = await importText(text)
    expect(projects).toEqual([{ id: scope.projectId, name, events: 5, tookOver: true }])
    expect(await exported(target.db, [scope.projectId])).toBe(text)
    for (const key of keys)
      expect(await accessOfKey(target.db, key)).toMatchObject({ projectId: scope.projectId })
    expect(await ensureProject(target.db, name)).toBe(scope.projectId)
    // A gateway that still has the old project for the key.
    await expect(appendOne(writer, there(empty), note('late'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await appendOne(writer, there(scope.projectId), revision(id, 'goes on'))
  })

  it('does not take the place of a project that has events', async () => {
    const name = `default-${newId()}`
    const { scope } = await project({ events: 5, name })
    const taken = there(await ensureProject(target.db, name))
    await appendOne(writer, taken, note('mine'))
    await expect(importText(await exported(source.db, [scope.projectId]))).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: expect.stringContaining(`The name "${name}" belongs to another project`),
    })
    expect(await readHead(taken)).toBe(1)
    expect(await readHead(there(scope.projectId))).toBe(0)
  })

  it('is refused where the project went another way, at the event where it did, and nothing of the batch is written', async () => {
    const { scope, id } = await project({ events: 12 })
    await importText(await exported(source.db, [scope.projectId]))
    const here = there(scope.projectId)
    await appendOne(writer, here, revision(id, 'here'))
    const before = await exported(target.db, [scope.projectId])
    await appendOne(writer, scope, revision(id, 'there'))
    await appendOne(writer, scope, revision(id, 'more'))
    await expect(importText(await exported(source.db, [scope.projectId]))).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      sequence: 13,
    })
    expect(await exported(target.db, [scope.projectId])).toBe(before)
  })

  it('is refused where a key belongs to another request, or an event to another project', async () => {
    const { scope } = await project({ events: 6 })
    const text = await exported(source.db, [scope.projectId])
    const neighbour = await project({ events: 4 })
    await importText(await exported(source.db, [neighbour.scope.projectId]))
    const lines = text.split('\n')
    const taken = there(neighbour.scope.projectId)
    const [record] = await readJournal(taken, { after: 0, limit: 1 })
    const stolen = (lines[2] ?? '').replace(/"eventId":"[^"]*"/u, `"eventId":"${record?.event?.eventId}"`)
    const forged = rechained([...lines.slice(0, 2), stolen, ...lines.slice(3)])
    await expect(importText(forged)).rejects.toMatchObject({ code: 'IMPORT_CONFLICT', sequence: 1 })
    expect(await readHead(there(scope.projectId))).toBe(0)

    await importText(text)
    const otherKey = (lines[2] ?? '').replace(/"requestHash":"../u, '"requestHash":"00')
    const changed = withRightEnd([...lines.slice(0, 2), otherKey, ...lines.slice(3)])
    await expect(importText(changed)).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      sequence: 1,
      message: expect.stringContaining('ä "first"'),
    })
  })

  it.each([
    ['a version is left out', /"version":5/u, '"version":9', 5],
    ['a version comes twice', /"version":5/u, '"version":4', 5],
    ['something follows the erasure', /"type":"MemoryRevised"/u, '"type":"MemoryErased"', 6],
  ])('is refused where %s, whatever was there before', async (_, from, to, sequence) => {
    const { scope } = await project({ events: 8 })
    const lines = (await exported(source.db, [scope.projectId])).split('\n')
    const forged = lines.map((line) => {
      if (!line.includes('"sequence":5,')) return line
      const { event } = JSON.parse(line.replace(from, to))
      return JSON.stringify({
        event: event.type === 'MemoryErased' ? { ...event, data: null, dataSalt: null } : event,
      })
    })
    await importText(withRightEnd(lines.slice(0, 4)), { batchEvents: 2 }).catch(() => {})
    await expect(importText(rechained(forged), { batchEvents: 100 })).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      sequence,
    })
  })

  it('has erased events with nothing to guess from, and an older export does not restore them', async () => {
    const { scope } = await project({ events: 6 })
    const whole = await exported(source.db, [scope.projectId])
    await eraseEvents(source, scope.projectId, [1, 2, 5])
    const text = await exported(source.db, [scope.projectId])
    const first = text.split('\n').find((line) => line.startsWith('{"event"'))
    expect(JSON.parse(first ?? '').event).toMatchObject({
      data: null,
      dataSalt: null,
      dataHash: expect.stringMatching(/^[0-9a-f]{64}$/u),
      idempotencyKeys: [{ key: 'ä "first"', requestHash: null }],
    })
    await importText(text, { batchEvents: 4 })
    expect(await exported(target.db, [scope.projectId])).toBe(text)
    expect(await verifyJournal(there(scope.projectId))).toMatchObject({ events: 6, erased: 3, problems: 0 })
    // An older export does not bring back what was erased.
    expect(await importText(whole)).toMatchObject({ imported: 0, alreadyThere: 6 })
    expect(await exported(target.db, [scope.projectId])).toBe(text)
  })

  it('erases here what was erased there since, wherever the batches end, and once', async () => {
    const marker = `zq${newId().slice(-8)}x`
    const scope = projectScope(source.db, await ensureProject(source.db, `test-${newId()}`))
    const { memory } = await appendOne(
      writer,
      scope,
      note(`first ${marker}`, { idempotencyKey: `k ${marker.length}` }),
    )
    const { memory: kept } = await appendOne(writer, scope, note('stays'))
    await appendOne(writer, scope, revision(memory.state.id, `second ${marker}`))
    const old = await exported(source.db, [scope.projectId])
    await importText(old)
    const here = there(scope.projectId)
    expect((await rowsWith(target, marker)).length).toBeGreaterThan(1)

    const who = { actor: 'operator', correlationId: null, causationId: null }
    await writer.erase(scope, [memory.state.id], who)
    await appendOne(writer, scope, revision(kept.state.id, 'stays, and goes on'))
    const text = await exported(source.db, [scope.projectId])
    expect(text).not.toContain(marker)
    // The erased events, their erasure and what follows each in a batch of its own.
    expect(await importText(text, { batchEvents: 1 })).toMatchObject({ imported: 2, alreadyThere: 3 })
    expect(await rowsWith(target, marker)).toEqual([])
    expect(await exported(target.db, [scope.projectId])).toBe(text)
    expect(await verifyJournal(here)).toMatchObject({ events: 5, erased: 3, problems: 0 })
    // Projections that have not applied it yet may queue its texts once more.
    const noted = await target.db
      .selectFrom('erased_texts')
      .selectAll()
      .where('project_id', '=', scope.projectId)
      .execute()
    expect(noted.map(({ sequence }) => sequence)).toEqual([4, 4])
    // The bus may hold the text here, too, so that it must hear of the erasure.
    const published = await target.db
      .selectFrom('relay_positions')
      .select('published')
      .where('project_id', '=', scope.projectId)
      .executeTakeFirstOrThrow()
    expect(published).toEqual({ published: 3 })

    for (const again of [text, old]) expect(await importText(again)).toMatchObject({ imported: 0 })
    expect(await exported(target.db, [scope.projectId])).toBe(text)
    const usage = await target.db
      .selectFrom('project_usage')
      .selectAll()
      .where('project_id', '=', scope.projectId)
      .execute()
    expect(usage).toEqual(
      await source.db
        .selectFrom('project_usage')
        .selectAll()
        .where('project_id', '=', scope.projectId)
        .execute(),
    )
  })

  it('finishes an erasure that an older version imported without erasing', async () => {
    const marker = `zq${newId().slice(-8)}x`
    const { scope } = await project({ events: 4 })
    const { memory } = await appendOne(writer, scope, note(marker))
    await importText(await exported(source.db, [scope.projectId]))
    const before = await asOwner(target, async (trx) => {
      const { rows } = await sql<{ data: string; salt: Buffer }>`
        select data::text as data, data_salt as salt from daybook.events
        where project_id = ${scope.projectId} and memory_id = ${memory.state.id}`.execute(trx)
      return rows[0]
    })
    await writer.erase(scope, [memory.state.id], { actor: null, correlationId: null, causationId: null })
    const text = await exported(source.db, [scope.projectId])
    await importText(text)
    await asOwner(target, (trx) =>
      sql`update daybook.events set data = ${before?.data}::jsonb, data_salt = ${before?.salt}
        where project_id = ${scope.projectId} and memory_id = ${memory.state.id} and version = 1`.execute(
        trx,
      ),
    )
    expect((await rowsWith(target, marker)).length).toBe(1)
    expect(await importText(text)).toMatchObject({ imported: 0, alreadyThere: 6 })
    expect(await rowsWith(target, marker)).toEqual([])
    expect(await verifyJournal(there(scope.projectId))).toMatchObject({ problems: 0, erased: 2 })
  })

  it('of a project that was deleted here is refused', async () => {
    const { scope } = await project({ events: 3 })
    const text = await exported(source.db, [scope.projectId])
    await importText(text)
    const admin = await target.newProject()
    const key = await asOwner(target, (owner) => createApiKey(owner, admin.projectId, 'a', { admin: true }))
    const access = await accessOfKey(target.db, key)
    if (access === null) throw new Error('no access')
    await beginDeletion(target.db, access, scope.projectId)
    await expect(importText(text)).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: expect.stringContaining('was deleted here'),
    })
  })

  it('is not made of a journal that was changed', async () => {
    const { scope } = await project({ events: 30 })
    await changeActor(source, scope.projectId, 20)
    await expect(exported(source.db, [scope.projectId])).rejects.toMatchObject({
      code: 'CORRUPT_JOURNAL',
      message: expect.stringContaining('event 20'),
    })
    await asOwner(source, async (trx) => {
      // The suite's other exports cover all projects.
      await sql`delete from daybook.events where project_id = ${scope.projectId}`.execute(trx)
      await sql`delete from daybook.journal_heads where project_id = ${scope.projectId}`.execute(trx)
      await sql`delete from daybook.projects where id = ${scope.projectId}`.execute(trx)
    })
  })

  it('knows there which memories are the same thing, and what supersedes what', async () => {
    const scope = projectScope(source.db, await ensureProject(source.db, `test-${newId()}`))
    const index = (content: string, more: object = {}): AppendRequest => ({
      ...note(''),
      command: {
        type: 'remember',
        id: newId(),
        input: { content: { kind: 'document', fields: { externalId: 'a.md', content } }, ...more },
      },
    })
    const { memory: old } = await appendOne(writer, scope, note('old'))
    const { memory } = await appendOne(
      writer,
      scope,
      index('one', { furtherParts: ['two'], supersedes: old.state.id }),
    )
    const journal = await exported(source.db, [scope.projectId])
    await importText(journal)
    const again = await appendOne(writer, there(scope.projectId), index('one', { furtherParts: ['three'] }))
    expect(again.memory).toMatchObject({
      version: 2,
      state: { id: memory.state.id, supersedes: old.state.id, part: { of: 2 } },
    })
    // The part and the document, each with a second version.
    expect(again.memory.sequence).toBe(memory.sequence + 2)
  })
})

import type { Command } from '@daybook/memory/commands'
import { newId } from '@daybook/memory/id'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readHead } from '../read/read.ts'
import { forgetting, note, revision } from '../testing/requests.ts'
import { isHashOf, requestHash } from './append-request.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'

const quiet = () => createJournalWriter(() => {})

describe.each(TEST_DATABASES)('idempotency keys on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  it('give a repeated request its first result, also after a restart', async () => {
    const scope = await database.newProject()
    const first = await appendOne(quiet(), scope, note('once', { idempotencyKey: 'k' }))
    const again = await appendOne(quiet(), scope, note('once', { idempotencyKey: 'k' }))
    expect(again).toEqual({ memory: first.memory, written: null, event: null, duplicate: true })
    expect(await readHead(scope)).toBe(1)
  })

  it('give the first result even after the memory went on', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    const first = await appendOne(writer, scope, note('one', { idempotencyKey: 'k' }))
    const { id } = first.memory.state
    const second = await appendOne(writer, scope, revision(id, 'two', { idempotencyKey: 'k2' }))
    await appendOne(writer, scope, forgetting(id))
    expect((await appendOne(writer, scope, note('one', { idempotencyKey: 'k' }))).memory).toEqual(
      first.memory,
    )
    expect((await appendOne(writer, scope, revision(id, 'two', { idempotencyKey: 'k2' }))).memory).toEqual(
      second.memory,
    )
    expect(await readHead(scope)).toBe(3)
  })

  it('give a repeated request its first result within one batch', async () => {
    const scope = await database.newProject()
    const outcomes = await quiet().appendMany(
      scope,
      [1, 2, 3].map(() => note('once', { idempotencyKey: 'k' })),
    )
    const appended = outcomes.map((outcome) => ('error' in outcome ? null : outcome.appended))
    expect(appended.map((one) => one?.duplicate)).toEqual([false, true, true])
    expect(new Set(appended.map((one) => one?.memory.state.id)).size).toBe(1)
    expect(await readHead(scope)).toBe(1)
  })

  it('refuse another request, in the same batch and later, with the version of the memory now', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    const [first, other] = await writer.appendMany(scope, [
      note('one', { idempotencyKey: 'k' }),
      note('another', { idempotencyKey: 'k' }),
    ])
    if (first === undefined || 'error' in first) throw new Error('the first was refused')
    expect(other).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT', currentVersion: 1 } })
    const { id } = first.appended.memory.state
    await appendOne(writer, scope, revision(id, 'two'))
    for (const request of [
      note('another', { idempotencyKey: 'k' }),
      revision(id, 'x', { idempotencyKey: 'k' }),
    ])
      await expect(appendOne(quiet(), scope, request)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        currentVersion: 2,
      })
    expect(await readHead(scope)).toBe(2)
  })

  it('are remembered for requests that changed nothing', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    const { memory } = await appendOne(writer, scope, note('same'))
    const { id } = memory.state
    const request = revision(id, 'same', { idempotencyKey: 'k' })
    expect(await appendOne(writer, scope, request)).toMatchObject({ event: null, duplicate: false })
    await appendOne(writer, scope, revision(id, 'other'))
    expect(await appendOne(writer, scope, request)).toEqual({
      memory,
      written: null,
      event: null,
      duplicate: true,
    })
    await expect(
      appendOne(writer, scope, revision(id, 'third', { idempotencyKey: 'k' })),
    ).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  it('are recognised with a field left out that a newer client sends', async () => {
    const scope = await database.newProject()
    const newer = note('newer', { idempotencyKey: 'k2' })
    const { memory } = await appendOne(quiet(), scope, newer)
    // As a newer client sends it, which knows more fields; each of those has a default.
    const input = {
      content: { kind: 'note', fields: { text: 'newer', title: null } },
      importance: null,
      labels: null,
    }
    const retried: Command = { type: 'remember', id: newId(), input }
    expect(await appendOne(quiet(), scope, { ...newer, command: retried })).toEqual({
      memory,
      written: null,
      event: null,
      duplicate: true,
    })
  })

  it('are not used up by a refused request', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    await expect(appendOne(writer, scope, note('', { idempotencyKey: 'k' }))).rejects.toThrow('blank')
    const { duplicate } = await appendOne(writer, scope, note('better', { idempotencyKey: 'k' }))
    expect(duplicate).toBe(false)
  })

  it('belong to one project each', async () => {
    const writer = quiet()
    for (const text of ['one', 'another']) {
      const scope = await database.newProject()
      expect((await appendOne(writer, scope, note(text, { idempotencyKey: 'k' }))).duplicate).toBe(false)
    }
  })

  it('let one of two racing writers through and give both the same memory', async () => {
    const scope = await database.newProject()
    const results = await Promise.all(
      [quiet(), quiet()].map((writer) => appendOne(writer, scope, note('once', { idempotencyKey: 'k' }))),
    )
    expect(results.map((result) => result.duplicate).toSorted()).toEqual([false, true])
    expect(results[0]?.memory).toEqual(results[1]?.memory)
    expect(await readHead(scope)).toBe(1)
  })

  it('let one of two racing writers with different requests through and refuse the other', async () => {
    const scope = await database.newProject()
    const results = await Promise.allSettled(
      ['one', 'another'].map((text) => appendOne(quiet(), scope, note(text, { idempotencyKey: 'k' }))),
    )
    expect(results.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find((result) => result.status === 'rejected')).toMatchObject({
      reason: { code: 'IDEMPOTENCY_CONFLICT' },
    })
    expect(await readHead(scope)).toBe(1)
  })
})

describe('the hash of a request', () => {
  const remember = (input: object, id = newId()) =>
    ({
      type: 'remember',
      id,
      input: { content: { kind: 'note', fields: { text: 't' } }, ...input },
    }) as Command
  const hash = (command: Command) => requestHash(command).toString('hex')
  const metadata = (value: unknown) => remember({ metadata: value })

  it('does not depend on the order of fields or the new id, and does on everything else', () => {
    expect(hash(metadata({ a: 1, b: { c: [1, 2], d: 2 } }))).toBe(
      hash(metadata({ b: { d: 2, c: [1, 2] }, a: 1 })),
    )
    const different = [
      {},
      { a: 1 },
      { a: '1' },
      { a: [1] },
      { a: { 0: 1 } },
      { a: null },
      { a: [1, 2] },
      { a: [2, 1] },
    ]
    expect(new Set(different.map((one) => hash(metadata(one)))).size).toBe(different.length)
  })

  it('treats a null field of a new memory as one that is not given', () => {
    expect(hash(remember({ context: null, agent: undefined }))).toBe(hash(remember({})))
    const revise = (input: object): Command => ({ type: 'revise', id: 'm', input })
    expect(hash(revise({ context: null }))).not.toBe(hash(revise({})))
  })

  it('has a version, by which an older Daybook knows that it cannot compare it', () => {
    const command = remember({ importance: 7 })
    const { type, input } = command as Extract<Command, { type: 'remember' }>
    expect(requestHash(command)[0]).toBe(2)
    expect(isHashOf(requestHash(command), { type, id: newId(), input })).toBe(true)
    expect(isHashOf(requestHash(command), remember({ importance: 8 }))).toBe(false)
    const newer = Buffer.concat([Buffer.of(3), Buffer.alloc(32)])
    expect(() => isHashOf(newer, command)).toThrow(/version 3.*upgrade/u)
  })
})

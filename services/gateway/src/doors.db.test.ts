import { parseEventLine } from '@daybook/journal/import/parse-line'
import { readJournal } from '@daybook/journal/read/read'
import { rechained } from '@daybook/journal/testing/exports'
import { canonicalJson } from '@daybook/memory/canonical-json'
import { COMMON_FIELD_NAMES } from '@daybook/memory/common-fields'
import { decide } from '@daybook/memory/decide'
import { decodeCommand } from '@daybook/memory/decode/decode-command'
import { decodeEvent } from '@daybook/memory/decode/decode-event'
import { ValidationError } from '@daybook/memory/errors'
import { CHAIN_START } from '@daybook/memory/event-hash'
import { newId } from '@daybook/memory/id'
import { anyCharacter } from '@daybook/memory/testing/any-character'
import { noteState } from '@daybook/memory/testing/note-state'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { placeProject } from '@daybook/postgres/access/claim-imported-project'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createMetrics } from '@daybook/runtime/metrics'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { copyJournal } from '@daybook/sync/follower/copy-journal'
import { insertFollowed } from '@daybook/sync/follower/followed-projects'
import type { StreamLine } from '@daybook/sync/wire/stream-line'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestClient, type TestGateway, testClient } from './testing/test-gateway.ts'
import { newWriter, type TestWriter } from './testing/writers.ts'

/*
 * The same values at every door. Commands: GraphQL, MCP, /sync/commands. Events: an import, a home's stream. Each door says what
 * the decoder says, and nothing ends.
 */

/** `DAYBOOK_FUZZ_RUNS=5000` for a night. */
const RUNS = Number(process.env['DAYBOOK_FUZZ_RUNS'] ?? 150)
const SEED = Number(process.env['DAYBOOK_FUZZ_SEED'] ?? 33)

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', ' ', '\u0000', 'a\u0000b', '\uD800', 'x'.repeat(300), 'x'.repeat(70_000)),
  fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-31T00:00:00.000Z', '0000-01-01T00:00:00.000Z'),
  fc.constantFrom(newId(), newId().toUpperCase(), 'note', 'toString', '__proto__'),
)
const scalar = fc.oneof(fc.constantFrom(null, true, -1, 0, 5, 11, 5.5, 1e300, 2 ** 31), text)
const value: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 40 }),
  fc.dictionary(text, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), { maxKeys: 4 }),
  fc.constantFrom({}, [], { toString: 1 }, JSON.parse('{"__proto__":{"labels":5}}'), deep(40)),
)

function deep(levels: number): unknown {
  return levels === 0 ? 'deep' : [deep(levels - 1)]
}

const sample = <Field extends string>(fields: readonly Field[]) =>
  fc.sample(fc.record({ field: fc.constantFrom(...fields), value }), { numRuns: RUNS, seed: SEED })

const LISTS: ReadonlySet<string> = new Set(['labels', 'categories'])
// The others are checked against the time and the project too.
const COMMON = COMMON_FIELD_NAMES.filter((name) => name !== 'expiresAt' && name !== 'supersedes')

/** A new note with one odd value, as a command has it. */
const inputOf = (field: string, odd: unknown) => ({
  content: { kind: 'note', fields: { text: field === 'text' ? odd : 'sound' } },
  ...(field !== 'text' && { [field]: odd }),
})

/** Null where it is taken, else the field. */
function verdict(input: unknown): string | null {
  try {
    const command = decodeCommand({ type: 'remember', id: newId(), input })
    decide(command, { memory: null, earlier: null, now: new Date().toISOString() })
    return null
  } catch (error) {
    if (error instanceof ValidationError) return error.field
    throw error
  }
}

const holds = (odd: unknown, test: (text: string) => boolean): boolean =>
  typeof odd === 'string'
    ? test(odd)
    : typeof odd === 'object' &&
      odd !== null &&
      [...Object.keys(odd), ...Object.values(odd)].some((inner) => holds(inner, test))
const isStorable = (odd: unknown) => !holds(odd, (one) => one.includes('\u0000') || !one.isWellFormed())

describe.each(SERVICE_DATABASES.slice(-1))(`every door of a gateway on $name (seed ${SEED})`, ({ start }) => {
  const { logger, lines } = createMemoryLogger()
  let database: Awaited<ReturnType<typeof start>>
  let running: TestGateway
  let admin: TestClient
  let writer: TestWriter
  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database, undefined, {
      logger,
      metrics: createMetrics({ service: 'gateway' }),
    })
    admin = await running.newClient(true)
    writer = await newWriter(admin, admin, { scopes: ['READ', 'WRITE', 'FOLLOW'] })
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })
  const faults = () => lines.filter(({ level }) => Number(level) >= 50)
  const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
    fetch(`${writer.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${writer.key}`, 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    })

  describe('that takes commands', () => {
    const tried = sample(['text', ...COMMON])

    it('/sync/commands: the same verdict, about the same field', async () => {
      for (let from = 0; from < tried.length; from += 500) {
        const page = tried.slice(from, from + 500)
        const commands = page.map(({ field, value: odd }) => ({
          key: newId(),
          command: { type: 'remember', id: newId(), input: inputOf(field, odd) },
          correlationId: null,
          causationId: null,
        }))
        const response = await post('/sync/commands', { commands })
        const { decided } = (await response.json()) as {
          decided: { error?: { code: string; field: string } }[]
        }
        expect(decided.map(({ error }) => error?.field ?? null)).toEqual(
          page.map(({ field, value: odd }) => verdict(inputOf(field, odd))),
        )
        expect(
          decided.flatMap(({ error }) => error?.code ?? []).filter((code) => code !== 'VALIDATION'),
        ).toEqual([])
      }
      expect(faults()).toEqual([])
    })

    it('GraphQL: the same verdict, and a list may be one value there', async () => {
      const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) { __typename } }`
      for (const { field, value: odd } of tried) {
        const given = LISTS.has(field) && odd !== null && !Array.isArray(odd) ? [odd] : odd
        const { content, ...common } = inputOf(field, odd)
        const { body } = await writer.send(REMEMBER, {
          input: { content: { note: content.fields }, ...common },
        })
        const { __typename } = (body.data?.['remember'] ?? {}) as { __typename?: string }
        const what = `${field}: ${JSON.stringify(odd).slice(0, 200)} came to ${JSON.stringify(body)}`
        expect(JSON.stringify(body), what).not.toContain('INTERNAL')
        expect(__typename === 'Remembered', what).toBe(verdict(inputOf(field, given)) === null)
      }
      expect(faults()).toEqual([])
    })

    it('MCP: an answer, whatever it makes of a value', async () => {
      for (const { field, value: odd } of tried) {
        const { content, ...common } = inputOf(field, odd)
        const call = {
          name: 'remember',
          arguments: { memories: [{ kind: 'note', fields: content.fields, ...common }] },
        }
        const response = await post(
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
          { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
        )
        const answer = await response.text()
        expect(response.status, answer).toBeLessThan(500)
        expect(answer).not.toContain('INTERNAL')
      }
      expect(faults()).toEqual([])
    })
  })

  describe('that takes events', () => {
    const OF_STATE = [
      ...COMMON,
      'text',
      'kind',
      'content',
      'id',
      'supersedes',
      'createdAt',
      'updatedAt',
      'forgottenAt',
      'expiresAt',
      'part',
      'writtenBy',
      'editedBy',
    ] as const
    const tried = sample([...OF_STATE, 'changed', 'writer', 'undoneTo', 'restoredVersion'])
    const memoryIds = tried.map(() => newId())

    const dataOf = (memoryId: string, field: string, odd: unknown): object => {
      const state = noteState({ id: memoryId })
      const data = { state, changed: ['content.text'] }
      if (field === 'text') return { ...data, state: { ...state, content: { text: odd } } }
      if ((OF_STATE as readonly string[]).includes(field))
        return { ...data, state: { ...state, [field]: odd } }
      return { ...data, [field]: odd }
    }
    const eventLine = (sequence: number, memoryId: string, data: object) => ({
      event: {
        sequence,
        eventId: newId(),
        memoryId,
        version: 1,
        type: 'MemoryRemembered',
        schemaVersion: 1,
        recordedAt: '2026-05-01T12:00:00.000Z',
        actor: null,
        correlationId: null,
        causationId: null,
        data,
        dataSalt: '0'.repeat(32),
        dataHash: CHAIN_START,
        hash: CHAIN_START,
        idempotencyKeys: [],
      },
    })
    const storable = tried
      .map((one, index) => ({
        memoryId: memoryIds[index] ?? '',
        data: dataOf(memoryIds[index] ?? '', one.field, one.value),
      }))
      .filter(({ data }) => isStorable(data))
    const expected = storable.map(({ memoryId, data }) => {
      try {
        decodeEvent('MemoryRemembered', memoryId, data)
        return 'readable'
      } catch (error) {
        if (error instanceof ValidationError) return 'opaque'
        throw error
      }
    })
    /** A sound export of a project with them. */
    const journalOf = (id: string) =>
      rechained([
        '{"format":"daybook-journal","version":2}',
        canonicalJson({ project: { id, name: `project ${id}`, events: storable.length, hash: CHAIN_START } }),
        ...storable.map(({ memoryId, data }, index) => canonicalJson(eventLine(index + 1, memoryId, data))),
      ])
    const statuses = async (scope: ProjectScope) => {
      const found: string[] = []
      for (;;) {
        const page = await readJournal(scope, { after: found.length, limit: 500 })
        if (page.length === 0) return found
        found.push(...page.map(({ status }) => status))
      }
    }
    /** What readers get once the projection has it all. */
    const read = async ({ projectId }: ProjectScope) => {
      const key = await asOwner(database, (owner) => createApiKey(owner, projectId, `key-${newId()}`))
      const client = testClient(running.gateway.url, key, projectId)
      await expect
        .poll(async () => {
          const { projections } = await client.data('{ projections { position parked } }')
          return projections[0].position
        })
        .toBe(storable.length)
      await client.data(`{
        memories(first: 100) { edges { node {
          id title text labels categories agent context importance metadata trust supersedes { id } writtenBy { agent } editedBy { agent }
          part { number } } } }
        journal(first: 1000) { status changed memory { id text } writer { agent } }
        facets { memories }
      }`)
      for (const memoryId of memoryIds.slice(0, 50))
        await client
          .data('query ($id: ID!) { memory(id: $id) { id versions { version } } }', { id: memoryId })
          .catch((error) => {
            expect(String(error)).not.toContain('INTERNAL')
          })
    }

    it('an import: what is no event of today is kept, and shown to nobody', async () => {
      const id = newId()
      const response = await fetch(`${running.gateway.url}/journal/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.key}` },
        body: new Blob([journalOf(id)]).stream(),
        duplex: 'half',
      } as RequestInit)
      expect(await response.text()).not.toContain('"error')
      const scope = projectScope(database.db, id)
      expect(await statuses(scope)).toEqual(expected)
      expect(new Set(expected)).toEqual(new Set(['readable', 'opaque']))
      await read(scope)
      expect(faults()).toEqual([])
    })

    it('a home: the same', async () => {
      const { scope } = await placeProject(database.db, { id: newId(), name: `copy ${newId()}` })
      const { projectId } = scope
      const copied = { sequence: 0, hash: CHAIN_START }
      await database.db
        .transaction()
        .execute((trx) =>
          insertFollowed(trx, projectId, { url: 'http://home', key: 'key' }, { copied, rule: 'LATEST_WINS' }),
        )
      const events = journalOf(projectId)
        .split('\n')
        .filter((line) => line.startsWith('{"event"'))
        .map((line, index): StreamLine => ({ event: parseEventLine(index + 1, line), size: line.length }))
      const last = events.at(-1)
      const hash = last !== undefined && 'event' in last ? last.event.hash : CHAIN_START
      async function* stream(): AsyncGenerator<StreamLine, void> {
        yield* events
        yield { head: { sequence: events.length, hash }, size: 1 }
      }
      const done = new AbortController()
      await copyJournal(scope, {
        home: { stream } as never,
        signal: done.signal,
        vectors: null,
        onCommitted: () => {},
        onCopied: () => {},
        onConnected: () => done.abort(),
      })
      expect(await statuses(scope)).toEqual(expected)
      await read(scope)
      expect(faults()).toEqual([])
    })

    it('both refuse what no store can keep', () => {
      const refused = tried.filter((one) => !isStorable(one.value))
      expect(refused.length).toBeGreaterThan(0)
      for (const { field, value: odd } of refused) {
        const line = JSON.stringify(eventLine(1, newId(), dataOf(newId(), field, odd)))
        expect(() => parseEventLine(1, line)).toThrow(/cannot be stored/u)
      }
    })
  })
})

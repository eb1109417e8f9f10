import { connect } from 'node:net'
import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import { newId } from '@daybook/memory/id'
import { projectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestGateway, useTestGateway } from './testing/test-gateway.ts'
import { newWriter, reached, type TestWriter, write } from './testing/writers.ts'

/* What a follower's key may send beside what a follower sends: `/sync/commands` believes none of it. */

interface Answer {
  readonly status: number
  // oxlint-disable-next-line no-explicit-any -- the shape of an answer is what the tests assert
  readonly body: any
}

describe.each(SERVICE_DATABASES)('commands that come by sync, on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let follower: TestWriter
  beforeEach(async () => {
    const admin = await suite.running.newClient(true)
    follower = await newWriter(admin, suite.client, { scopes: ['READ', 'WRITE', 'FOLLOW'] })
  })

  const note = (fields: unknown, more: object = {}) => ({
    type: 'remember',
    id: newId(),
    input: { content: { kind: 'note', fields }, ...more },
  })
  const post = async (commands: readonly unknown[], more: object = {}): Promise<Answer> => {
    const response = await fetch(`${follower.url}/sync/commands`, {
      method: 'POST',
      headers: { authorization: `Bearer ${follower.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        commands: commands.map((command) => ({
          key: newId(),
          command,
          correlationId: null,
          causationId: null,
          ...more,
        })),
      }),
    })
    return { status: response.status, body: await response.json() }
  }
  const sound = async () => {
    const { problems } = await verifyJournal(projectScope(suite.database.db, follower.projectId))
    return problems === 0
  }
  const shown = async (sequence: number) => {
    await reached(follower, sequence)
    const { memories } = await follower.data('{ memories(first: 50) { edges { node { text } } } }')
    return memories.edges.map(({ node }: { node: { text: string } }) => node.text)
  }

  it('a follower that goes away in the middle of them is no fault of ours', async () => {
    const { logger, lines } = createMemoryLogger()
    const gateway = await startTestGateway(suite.database, null, { logger })
    try {
      const { host, hostname, port } = new URL(gateway.gateway.url)
      // Until one of them goes while its body is awaited: before, its key is looked up.
      const left = () => lines.filter(({ msg }) => msg === 'a request could not be answered')
      for (let waits = 1; left().length === 0; waits += 1) {
        const socket = connect(Number(port), hostname)
        socket.write(
          `POST /sync/commands HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${follower.key}\r\nContent-Length: 90\r\n\r\n{"c`,
        )
        await pause(10 * waits)
        socket.destroy()
        await pause(10 * waits)
      }
      expect(left()[0]).toMatchObject({ level: 30, error: { code: 'ECONNRESET' } })
      expect(left().map(({ level }) => level)).not.toContain(50)
    } finally {
      await gateway.stop()
    }
  })

  it('an id in upper case is that id in lower case, and the journal stays sound', async () => {
    const command = { ...note({ text: 'upper case' }), id: newId().toUpperCase() }
    const { body } = await post([command], { given: command })
    expect(body.decided).toMatchObject([{ receipt: { memoryId: command.id.toLowerCase() } }])
    expect(await sound()).toBe(true)
  })

  it.each([
    ['parts of a note', note({ text: 'a' }, { furtherParts: ['y'] }), 'furtherParts'],
    [
      'a text as the list of parts',
      note({ text: 'a' }, { furtherParts: 'abc' }),
      'command.input.furtherParts',
    ],
    [
      'a part of 8 MB',
      {
        ...note({}),
        input: {
          content: { kind: 'document', fields: { content: 'a', externalId: 'b' } },
          furtherParts: ['y'.repeat(8_000_000)],
        },
      },
      'furtherParts.0',
    ],
    [
      'parts that are too much together',
      {
        ...note({}),
        input: {
          content: { kind: 'document', fields: { content: 'a', externalId: 'b' } },
          furtherParts: Array<string>(16).fill('y'.repeat(64 * 1024)),
        },
      },
      'furtherParts',
    ],
    [
      'a kind that is a number',
      { ...note({}), input: { content: { kind: 5, fields: {} } } },
      'command.input.content.kind',
    ],
    ['no input', { type: 'remember', id: newId() }, 'command.input'],
    ['a part of a version', { type: 'restore', id: newId(), version: 1.5 }, 'command.version'],
    ['a version beyond all', { type: 'restore', id: newId(), version: 2 ** 31 }, 'command.version'],
    [
      'an undo to "abc"',
      { type: 'undo', id: newId(), toVersion: 'abc', expectedVersion: 1 },
      'command.toVersion',
    ],
    [
      'an undo to null',
      { type: 'undo', id: newId(), toVersion: null, expectedVersion: 1 },
      'command.toVersion',
    ],
    ['an undo to -1', { type: 'undo', id: newId(), toVersion: -1, expectedVersion: 1 }, 'command.toVersion'],
    ['an undo to {}', { type: 'undo', id: newId(), toVersion: {}, expectedVersion: 1 }, 'command.toVersion'],
    ['an expiry', { type: 'expire', id: newId() }, 'command.type'],
    ['a type that is none', { type: 'toString', id: newId() }, 'command.type'],
    [
      'a name that cannot be compared',
      { ...note({}), input: { content: { kind: 'entity', fields: { name: 'a', type: { toString: 1 } } } } },
      'content.entity.type',
    ],
    ['labels that are none', note({ text: 'a' }, { labels: 'one' }), 'labels'],
    ['a text with NUL', note({ text: 'a\u0000' }), 'content.note.text'],
    ['half a character', note({ text: '\uD800' }), 'content.note.text'],
  ])('refuses %s with the field’s name, and no other command with it', async (_, command, field) => {
    const { status, body } = await post([note({ text: 'before' }), command, note({ text: 'after' })])
    expect(status).toBe(200)
    expect(body.decided).toMatchObject([
      { receipt: { sequence: 1 } },
      { error: { code: 'VALIDATION', field } },
      { receipt: { sequence: 2 } },
    ])
    expect(await shown(2)).toEqual(expect.arrayContaining(['before', 'after']))
    expect(await sound()).toBe(true)
  })

  it('refuses the id of another memory, also of one in the same batch', async () => {
    const first = note({ text: 'first' })
    await post([first])
    const again = { ...note({ text: 'again' }), id: first.id }
    const twice = note({ text: 'twice' })
    const { body } = await post([again, twice, { ...note({ text: 'and again' }), id: twice.id }])
    const refused = { error: { code: 'VALIDATION', field: 'id' } }
    expect(body.decided).toMatchObject([refused, { receipt: {} }, refused])
    expect(await shown(2)).toEqual(expect.arrayContaining(['first', 'twice']))
  })

  it('an undo that is none leaves the memory as it is', async () => {
    const id = await write(suite.client, 'stays')
    const undo = { type: 'undo', id: id.replace('note:', ''), toVersion: 'abc', expectedVersion: 1 }
    const { body } = await post([undo, note({ text: 'next' })])
    expect(body.decided).toMatchObject([{ error: { code: 'VALIDATION' } }, { receipt: { sequence: 2 } }])
    expect(await shown(2)).toEqual(expect.arrayContaining(['stays', 'next']))
  })
})

import { once } from 'node:events'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { rawConnection } from '@daybook/runtime/testing/raw-http'
import { describe, expect, test } from 'vitest'
import { REMEMBER, startTestGateway, useTestGateway } from './testing/test-gateway.ts'

/**
 * Mistakes of callers. Failures of parts are in test/src/failures.
 */
describe.each(SERVICE_DATABASES)('bad input on $name', ({ start }) => {
  const suite = useTestGateway(start)

  const journalLength = async () => (await suite.client.data('{ journal { sequence } }'))['journal'].length

  const NUL = '\u0000'
  const refused: [what: string, input: object, field: string, limit: RegExp][] = [
    [
      'a text that is too long',
      { content: { note: { text: 'x'.repeat(65_537) } } },
      'content.note.text',
      /the limit is 64 KiB .* it has 65,537 bytes/,
    ],
    [
      'a key that is too long',
      { content: { insight: { key: 'k'.repeat(256), content: 'c' } } },
      'content.insight.key',
      /255/,
    ],
    ['a NUL character in a text', { content: { note: { text: `a${NUL}b` } } }, 'content.note.text', /NUL/],
    [
      'a NUL character in metadata',
      { content: { note: { text: 'a' } }, metadata: { a: [`${NUL}`] } },
      'metadata',
      /NUL/,
    ],
    ['half a surrogate pair', { content: { note: { text: 'a\uD800' } } }, 'content.note.text', /surrogate/],
    [
      'a text of zero-width signs alone',
      { content: { note: { text: '\u200B\u2060\uFEFF' } } },
      'content.note.text',
      /blank/,
    ],
    [
      'too many labels',
      { content: { note: { text: 'a' } }, labels: Array.from({ length: 33 }, (_, i) => `${i}`) },
      'labels',
      /32/,
    ],
    [
      'a label that is too long',
      { content: { note: { text: 'a' } }, labels: ['x'.repeat(65)] },
      'labels.0',
      /64/,
    ],
    [
      'metadata that is too large',
      { content: { note: { text: 'a' } }, metadata: { a: 'x'.repeat(16_384) } },
      'metadata',
      /16 KiB \(16,384 bytes\)/,
    ],
    [
      'an importance out of range',
      { content: { note: { text: 'a' } }, importance: -1 },
      'importance',
      /0 to 10/,
    ],
    [
      'a blank required field',
      { content: { stash: { name: ' ', summary: 's' } } },
      'content.stash.name',
      /blank/,
    ],
    [
      'an idempotency key that is too long',
      { content: { note: { text: 'a' } }, idempotencyKey: 'k'.repeat(256) },
      'idempotencyKey',
      /255/,
    ],
  ]

  test.each(refused)(
    '%s is refused naming field and limit, and nothing is written',
    async (_, input, field, limit) => {
      const { remember } = await suite.client.data(REMEMBER, { input })
      expect(remember).toMatchObject({ __typename: 'ValidationError', code: 'VALIDATION', field })
      expect(remember.message).toMatch(limit)
      expect(await journalLength()).toBe(0)
    },
  )

  const refusedByTypes: [what: string, input: object, naming: RegExp][] = [
    ['a missing field', { content: { stash: { name: 'n' } } }, /summary/],
    ['a wrong type', { content: { note: { text: 7 } } }, /text/],
    ['an unknown kind', { content: { song: { text: 'la' } } }, /song/],
    ['two kinds at once', { content: { note: { text: 'a' }, todo: { description: 'b' } } }, /one|exactly/i],
    ['an unknown field', { content: { note: { text: 'a', volume: 1 } } }, /volume/],
    [
      'a moment that is none',
      { content: { note: { text: 'a' } }, occurredAt: 'yesterday' },
      /occurredAt.*RFC 3339/s,
    ],
  ]

  test.each(refusedByTypes)(
    '%s is refused by the schema, naming it, and nothing is written',
    async (_, input, naming) => {
      const { body } = await suite.client.send(REMEMBER, { input })
      expect(body.errors?.[0]?.message).toMatch(naming)
      expect(await journalLength()).toBe(0)
    },
  )

  test('an empty query and limits out of range are clear errors that name the argument', async () => {
    const cases: [query: string, field: string][] = [
      ['{ search(query: "  ") { sequence } }', 'query'],
      ['{ search(query: "-only -exclusions") { sequence } }', 'query'],
      ['{ search(query: "a", limit: 0) { sequence } }', 'limit'],
      ['{ search(query: "a", limit: 101) { sequence } }', 'limit'],
      [`{ search(query: "${'a'.repeat(4_097)}") { sequence } }`, 'query'],
      ['{ recall(key: " ") { sequence } }', 'key'],
      ['{ recall(key: "a\\u0000") { sequence } }', 'key'],
      ['{ search(query: "a", filter: { context: "\\u0000" }) { sequence } }', 'filter.context'],
      ['{ search(query: "a", weights: { lexical: -0.1 }) { sequence } }', 'weights.lexical'],
      ['{ search(query: "a", weights: { vector: 1.1 }) { sequence } }', 'weights.vector'],
      ['{ search(query: "a", weights: { neighbour: 2 }) { sequence } }', 'weights.neighbour'],
      ['{ search(query: "a", weights: { lexical: 0, vector: 0 }) { sequence } }', 'weights'],
      ['{ search(query: "a", ranking: RRF, weights: { lexical: 1 }) { sequence } }', 'weights'],
      ['{ memories(first: 101) { edges { cursor } } }', 'first'],
      ['{ memories(after: "x") { edges { cursor } } }', 'after'],
      ['{ journal(first: 0) { sequence } }', 'first'],
    ]
    for (const [query, field] of cases) {
      const { body } = await suite.client.send(query)
      expect(body.errors?.[0]?.extensions, query).toMatchObject({ code: 'VALIDATION', field })
    }
  })

  test('a cursor beyond what a list could have is refused, naming the argument and the limit', async () => {
    const { remember } = await suite.client.data(REMEMBER, { input: { content: { note: { text: 'a' } } } })
    const history = (after: string) =>
      `{ memory(id: "${remember.memory.id}", atLeast: 1) { history(after: "${after}") { edges { cursor } } } }`
    const cases: [query: string, limit: RegExp][] = [
      [history('2147483648'), /2147483647/],
      [history('999999999999999'), /2147483647/],
      ['{ memories(after: "9007199254740993") { edges { cursor } } }', /9007199254740991/],
    ]
    for (const [query, limit] of cases) {
      const { body } = await suite.client.send(query)
      expect(body.errors?.[0], query).toMatchObject({
        message: expect.stringMatching(limit),
        extensions: { code: 'VALIDATION', field: 'after' },
      })
    }
    expect((await suite.client.send(history('2147483647'))).body.errors).toBeUndefined()
  })

  test('a name that no project can have is refused wherever it is given', async () => {
    const admin = await suite.running.newClient(true)
    for (const project of ['a\\u0000', ' ', 'x'.repeat(256)]) {
      const { body } = await admin.send(
        `{ parkedEvents(projection: PGVECTOR, project: "${project}") { sequence } }`,
      )
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION', field: 'project' })
    }
    const headers = { authorization: `Bearer ${admin.key}` }
    const response = await fetch(`${admin.url}/journal/export?project=%00`, { headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [{ message: expect.stringContaining('NUL'), extensions: { code: 'VALIDATION' } }],
    })
  })

  test('a transfer of a journal is refused where it asks for what there is not', async () => {
    const admin = await suite.running.newClient(true)
    const headers = { authorization: `Bearer ${admin.key}` }
    const transfers = [
      ['export?project=a&project=b', { headers }, 'project must be given once'],
      ['export?projects=a', { headers }, 'projects is no parameter'],
      [
        'import',
        { method: 'POST', headers: { ...headers, 'content-encoding': 'gzip' }, body: 'x' },
        'Content-Encoding must be absent',
      ],
    ] as const
    for (const [path, options, message] of transfers) {
      const response = await fetch(`${admin.url}/journal/${path}`, options)
      expect(response.status, path).toBe(400)
      expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining(message) }] })
    }
  })

  test.each(['/graphql', '/mcp'])(
    '%s refuses a number that it would round, and bytes that are no text',
    async (path) => {
      const call = (text: string, id: string) => ({
        graphql: `{"query":${JSON.stringify(REMEMBER)},"variables":{"input":{"content":{"note":{"text":"${text}"}},"metadata":{"id":${id}}}}}`,
        mcp: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"memories":[{"kind":"note","fields":{"text":"${text}"},"metadata":{"id":${id}}}]}}}`,
      })
      const bodies = [
        [call('x', '9007199254740993'), '9007199254740993, which would be rounded'],
        [call('caf\xe9', '1'), 'not UTF-8'],
      ] as const
      for (const [body, message] of bodies) {
        const response = await fetch(suite.client.url + path, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${suite.client.key}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: Buffer.from(body[path === '/mcp' ? 'mcp' : 'graphql'], 'latin1'),
        })
        expect(response.status, message).toBe(400)
        expect(await response.text()).toContain(message)
      }
      expect(await journalLength()).toBe(0)
    },
  )

  test('bytes that are not UTF-8 are refused, not replaced', async () => {
    const headers = { authorization: `Bearer ${suite.client.key}`, 'content-type': 'application/json' }
    const whole = JSON.stringify({
      query: REMEMBER,
      variables: { input: { content: { note: { text: '#' } } } },
    })
    const body = Buffer.from(whole)
    body[body.lastIndexOf('#')] = 0xff
    const response = await fetch(`${suite.client.url}/graphql`, { method: 'POST', headers, body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ message: 'The body is not UTF-8' }] })
    expect(await journalLength()).toBe(0)
  })

  test('bodies of other types have the same size limit, and are refused for their type', async () => {
    const types = [
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/graphql',
      'text/plain',
    ]
    for (const type of types) {
      const headers = { authorization: `Bearer ${suite.client.key}`, 'content-type': type }
      const post = (body: string | ReadableStream) =>
        fetch(`${suite.client.url}/graphql`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
      const large = 'x'.repeat(1_100_000)
      expect((await post(large)).status, type).toBe(413)
      expect((await post(new Blob([large]).stream())).status, type).toBe(413)
      const small = await post('{ projections { name } }')
      expect(small.status, type).toBe(415)
      expect(await small.json()).toMatchObject({
        errors: [{ message: expect.stringContaining('application/json') }],
      })
    }
  })

  test('an upload that its client breaks off is not blamed on the database', async () => {
    const { logger, lines } = createMemoryLogger()
    const own = await startTestGateway(suite.database, null, { logger })
    try {
      const client = await own.newClient(true)
      const { key } = client
      for (const path of ['/journal/import', '/graphql']) {
        const socket = await rawConnection(own.gateway.url)
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: ${new URL(own.gateway.url).host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9000\r\n\r\n{"a`,
        )
        // It is under way.
        await once(socket, 'data')
        await client.data('{ __typename }')
        socket.destroy()
      }
      await expect.poll(() => lines.map(({ msg }) => msg)).toContain('an import of a journal ended early')
      // Whoever comes later is answered later.
      for (let later = 0; later < 3; later += 1) await client.data('{ __typename }')
      expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual([])
      expect(JSON.stringify(lines)).not.toContain('database cannot')
    } finally {
      await own.stop()
    }
  })

  test('more than 500 memories in a call are refused, and none of them is written', async () => {
    const inputs = Array.from({ length: 501 }, (_, i) => ({ content: { note: { text: `${i}` } } }))
    const { body } = await suite.client.send(
      'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }',
      { inputs },
    )
    expect(body.errors?.[0]?.message).toMatch(/501.*500/)
    expect(await journalLength()).toBe(0)
  })

  test('without a key, with a wrong one, and with none of ours: 401', async () => {
    for (const authorization of [
      undefined,
      'Bearer dbk_wrong',
      'Bearer nonsense',
      'Basic abc',
      `Bearer ${suite.client.key}x`,
    ]) {
      const response = await fetch(`${suite.client.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: JSON.stringify({ query: '{ projections { name } }' }),
      })
      expect(response.status, String(authorization)).toBe(401)
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    }
  })

  test("another project's memory is not found, by whatever way it is asked for", async () => {
    const { remember } = await suite.client.data(REMEMBER, {
      input: { content: { insight: { key: 'secret', content: 'the vault code' } } },
    })
    await suite.client.data('{ search(query: "x", atLeast: 1) { sequence } }')
    const other = await suite.running.newClient()
    const id = remember.memory.id
    const reads = await other.data(
      `query ($id: ID!) {
        memory(id: $id) { id } node(id: $id) { id } memories { edges { cursor } } journal { sequence }
        search(query: "vault code", filter: { includeForgotten: true }) { hits { score } } recall(key: "secret") { hits { score } message }
      }`,
      { id },
    )
    expect(reads).toMatchObject({
      memory: null,
      node: null,
      memories: { edges: [] },
      journal: [],
      search: { hits: [] },
      recall: { hits: [] },
    })
    expect(JSON.stringify(reads)).not.toContain('jwt')
    const writes = await other.data(
      `mutation ($id: ID!) {
        revise(id: $id, input: { importance: 1 }) { __typename } forget(id: $id) { __typename } restore(id: $id, version: 1) { __typename }
      }`,
      { id },
    )
    for (const result of Object.values(writes)) expect(result).toEqual({ __typename: 'NotFoundError' })
    expect(await journalLength()).toBe(1)
  })

  test('a query that is too deep, too costly, has too many aliases, tokens or directives is refused, saying the limit', async () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'id' : `history(first: 1) { edges { node { memory { ${nested(depth - 1)} } } } }`
    const costly =
      '{ memories(first: 100) { edges { node { history(first: 100) { edges { node { memory { history(first: 100) { edges { cursor } } } } } } } } } }'
    const cases: [string, RegExp][] = [
      [`{ memories { edges { node { ${nested(8)} } } } }`, /too (deep|costly).*limit is \d+/],
      [costly, /too costly: \d+ where the limit is 20000/],
      [
        `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: projections { name }`).join(' ')} }`,
        /Aliases limit of 30/,
      ],
      [`{ ${'projections { name } '.repeat(2_000)} }`, /Token limit of 2000/],
      [`{ projections ${'@include(if: true) '.repeat(51)} { name } }`, /Directives limit of 50/],
    ]
    for (const [query, limit] of cases) {
      const { body } = await suite.client.send(query)
      expect(body.data ?? null).toBeNull()
      expect(body.errors?.[0]?.message).toMatch(limit)
    }
  })

  test('a body over 1 MiB is refused with 413, whether it says its length or not', async () => {
    const body = JSON.stringify({
      query: '{ projections { name } }',
      variables: { a: 'x'.repeat(1_100_000) },
    })
    const headers = { authorization: `Bearer ${suite.client.key}`, 'content-type': 'application/json' }
    const said = await fetch(`${suite.client.url}/graphql`, { method: 'POST', headers, body })
    expect(said.status).toBe(413)
    const stream = new Blob([body]).stream()
    const unsaid = await fetch(`${suite.client.url}/graphql`, {
      method: 'POST',
      headers,
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(unsaid.status).toBe(413)
    expect(await unsaid.json()).toMatchObject({
      errors: [{ message: expect.stringContaining('1 MiB (1,048,576 bytes)') }],
    })
  })

  test('what is no JSON, and what is no object, is refused with 400', async () => {
    for (const body of ['{', '[]', '"a"']) {
      const response = await fetch(`${suite.client.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${suite.client.key}`, 'content-type': 'application/json' },
        body,
      })
      expect(response.status).toBe(400)
    }
  })

  test('a text full of markup, quotes and control characters comes back as it was, and marked up safely in snippets', async () => {
    const text = `<img src=x onerror="alert(1)"> '; drop table events; -- \u202E\u0007 needle 𝕏`
    const { remember } = await suite.client.data(REMEMBER, { input: { content: { note: { text } } } })
    expect(remember.memory.text).toBe(text)
    const { search } = await suite.client.data(
      '{ search(query: "needle", mode: KEYWORD, atLeast: 1) { hits { snippet memory { text } } } }',
    )
    expect(search.hits[0].memory.text).toBe(text)
    expect(search.hits[0].snippet).toContain('<mark>needle</mark>')
    expect(search.hits[0].snippet).not.toMatch(/<(?!\/?mark>)/)
  })
})

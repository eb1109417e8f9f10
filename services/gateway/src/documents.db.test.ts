import { SERVICE_DATABASES, type TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { expect, test } from 'vitest'
import { useTestGateway } from './testing/test-gateway.ts'

// Concurrent writers and both databases: libs/journal/src/append/one-thing.db.test.ts. Here, what the API says.
const [{ start }] = SERVICE_DATABASES as [TestDatabaseKind]
const suite = useTestGateway(start)

const WRITTEN = `
  __typename
  ... on Remembered { sequence outcome duplicate memory { id title version part { number parts { id } } } }
  ... on DaybookError { code message }
  ... on ValidationError { field }
  ... on ConflictError { currentVersion }`
const index = async (variables: object) =>
  (
    await suite.client.data(
      `mutation ($id: String!, $content: String!, $title: String, $metadata: JSON, $context: String, $key: String) {
        indexDocument(id: $id, content: $content, title: $title, metadata: $metadata, context: $context, idempotencyKey: $key) { ${WRITTEN} }
      }`,
      variables,
    )
  )['indexDocument']
const remember = async (input: object) =>
  (
    await suite.client.data(`mutation ($input: RememberInput!) { remember(input: $input) { ${WRITTEN} } }`, {
      input,
    })
  )['remember']
const SEARCH = `
  matchType engine message degraded
  hits { score matchType snippet memory {
    id title content supersededBy { id }
    ... on Document { externalId }
    part { number document { id ... on Document { externalId } } parts { id content } }
  } }`
const caughtUp = (sequence: number) =>
  suite.client.data(
    'query ($s: Int!) { search(query: "anything", mode: KEYWORD, atLeast: $s) { sequence } }',
    {
      s: sequence,
    },
  )

test('a document has the caller’s id, and the same id again is a revision (capability 19)', async () => {
  const first = await index({ id: 'docs/a.md', content: 'Bees dance', title: 'Bees', metadata: { page: 1 } })
  expect(first).toMatchObject({
    __typename: 'Remembered',
    outcome: 'REMEMBERED',
    memory: { version: 1, part: null },
  })
  const { id } = first.memory
  expect(await index({ id: 'docs/a.md', content: 'Bees dance', title: 'Bees' })).toMatchObject({
    outcome: 'UNCHANGED',
    sequence: first.sequence,
  })
  const second = await index({ id: 'docs/a.md', content: 'Bees dance in the hive', title: 'Bees', key: 'k' })
  expect(second).toMatchObject({ outcome: 'REVISED', memory: { id, version: 2 } })
  expect(
    await index({ id: 'docs/a.md', content: 'Bees dance in the hive', title: 'Bees', key: 'k' }),
  ).toMatchObject({
    duplicate: true,
    outcome: 'REVISED',
    sequence: second.sequence,
  })
  await suite.client.data('mutation ($id: ID!) { forget(id: $id) { __typename } }', { id })
  const back = await index({ id: 'docs/a.md', content: 'Bees dance again' })
  expect(back).toMatchObject({ outcome: 'RESTORED', memory: { id, version: 4 } })
  await caughtUp(back.sequence)
  const found = await suite.client.data(
    `{ recallDocument(id: "docs/a.md") { ${SEARCH} } memories { edges { node { id metadata } } } }`,
  )
  expect(found['recallDocument']).toMatchObject({
    matchType: 'EXACT',
    hits: [{ memory: { id, externalId: 'docs/a.md', content: 'Bees dance again' } }],
  })
  expect(found['memories'].edges).toMatchObject([{ node: { id, metadata: { page: 1 } } }])
  expect(await index({ id: ' ', content: 'x' })).toMatchObject({ __typename: 'ValidationError', field: 'id' })
  expect(await index({ id: 'x', content: ' ' })).toMatchObject({
    __typename: 'ValidationError',
    field: 'content',
  })
})

test('a text over 64 KiB becomes linked documents; hits name document and part (capability 19)', async () => {
  const paragraph = (n: number) => `Paragraph ${n}. ${'The weather was fine that day. '.repeat(30)}`
  const text = Array.from({ length: 150 }, (_, n) => paragraph(n) + (n === 140 ? ' Xylophone.' : '')).join(
    '\n\n',
  )
  const first = await index({ id: 'book', content: text, title: 'The book' })
  expect(first).toMatchObject({ outcome: 'REMEMBERED', memory: { title: 'The book (part 1)' } })
  await caughtUp(first.sequence)
  const answer = await suite.client.data(`{ search(query: "xylophone", mode: KEYWORD) { ${SEARCH} } }`)
  const [hit] = answer['search'].hits
  expect(hit.memory).toMatchObject({
    title: 'The book (part 3)',
    externalId: null,
    part: { number: 3, document: { id: first.memory.id, externalId: 'book' } },
  })
  const parts: { content: string }[] = hit.memory.part.parts
  expect(parts.map(({ content }) => content).join('')).toBe(text)

  const short = await index({ id: 'book', content: 'Burnt down', title: 'The book' })
  expect(short).toMatchObject({ outcome: 'REVISED', memory: { id: first.memory.id, part: null } })
  await caughtUp(short.sequence)
  const after = await suite.client.data(
    `{ search(query: "xylophone weather", mode: KEYWORD) { hits { score } } }`,
  )
  expect(after['search'].hits).toEqual([])
  expect(await index({ id: 'huge', content: 'word '.repeat(200_000) })).toMatchObject({
    field: 'content',
    message: expect.stringMatching(/limit is 960 KiB .* several documents/u),
  })
})

test('similar finds what is nearest to a text, a vector or a memory, never itself (capability 19)', async () => {
  const texts = [
    'the kingfisher dives for fish',
    'the kingfisher dives for small fish',
    'tax forms are due in May',
  ]
  const ids: string[] = []
  let sequence = 0
  for (const text of texts) {
    const written = await remember({ content: { note: { text } }, labels: [text.slice(0, 3)] })
    ids.push(written.memory.id)
    sequence = written.sequence
  }
  await caughtUp(sequence)
  const similar = async (more: string, variables: object = {}) =>
    (
      await suite.client.data(
        `query ($text: String, $id: ID, $vector: [Float!], $k: Int, $filter: MemoryFilter) {
          similar(text: $text, id: $id, vector: $vector, topK: $k, filter: $filter) { ${SEARCH} } ${more}
        }`,
        variables,
      )
    )['similar']
  await expect.poll(async () => (await similar('', { text: 'kingfisher', k: 5 })).degraded).toEqual([])
  const titles = ({ hits }: { hits: { memory: { title: string } }[] }) =>
    hits.map(({ memory }) => memory.title)
  const byText = await similar('', { text: texts[0], k: 2 })
  expect(byText).toMatchObject({ matchType: 'SEMANTIC', engine: 'POSTGRES' })
  expect(titles(byText)).toEqual(texts.slice(0, 2))
  expect(byText.hits[0].score).toBeCloseTo(1, 2)
  const byId = await similar('', { id: ids[0], k: 5 })
  expect(titles(byId)[0]).toBe(texts[1])
  expect(titles(byId)).not.toContain(texts[0])
  expect(titles(await similar('', { id: ids[0], k: 5, filter: { labelsAny: ['tax'] } }))).toEqual([texts[2]])
  const vector = Array.from({ length: 64 }, (_, n) => (n === 3 ? 1 : 0.01))
  expect((await similar('', { vector, k: 3 })).hits).toHaveLength(3)

  const refused = async (variables: object) => {
    const { body } = await suite.client.send(
      'query ($text: String, $id: ID, $vector: [Float!], $k: Int) { similar(text: $text, id: $id, vector: $vector, topK: $k) { matchType } }',
      variables,
    )
    return body.errors?.[0]
  }
  for (const [variables, code, message] of [
    [{}, 'VALIDATION', /exactly one of text, id and vector/u],
    [{ text: 'a', id: ids[0] }, 'VALIDATION', /not text and id/u],
    [{ text: ' ' }, 'VALIDATION', /text is empty/u],
    [{ vector: [1, 2, 3] }, 'VALIDATION', /has 3 numbers, .* have 64/u],
    [{ vector: vector.map(() => 0) }, 'VALIDATION', /all zeros/u],
    [{ text: 'a', k: 0 }, 'VALIDATION', /topK .* from 1 to 100/u],
    [{ id: 'note:01920000-0000-7000-8000-000000000001' }, 'NOT_FOUND', /was not found/u],
  ] as const) {
    const error = await refused(variables)
    expect(error?.extensions).toMatchObject({ code })
    expect(error?.message).toMatch(message)
  }
})

test('a key recalls one memory; decisions and entities are looked up in the same way (capability 4)', async () => {
  const insight = (content: string, more: object = {}) =>
    remember({ content: { insight: { key: 'jwt', content } }, ...more })
  const { memory } = await insight('one')
  expect(await insight('two')).toMatchObject({ outcome: 'REVISED', memory: { id: memory.id, version: 2 } })
  expect(await insight('two')).toMatchObject({ outcome: 'UNCHANGED', memory: { id: memory.id, version: 2 } })
  expect(await insight('three', { onExisting: 'REJECT' })).toMatchObject({
    __typename: 'ConflictError',
    code: 'KEY_EXISTS',
    currentVersion: 2,
  })
  const decision = (text: string, more: object = {}) =>
    remember({ content: { decision: { topic: 'queue', decision: text } }, ...more })
  const old = await decision('We take Kafka for the queue')
  const now = await decision('We take JetStream for the queue', { supersedes: old.memory.id })
  const last = await remember({ content: { entity: { name: 'Lisbon', type: 'place' } } })
  await caughtUp(last.sequence)
  const found = await suite.client.data(
    `query ($old: ID!) {
      recall(key: "jwt") { ${SEARCH} }
      recallDecision(topic: "queue") { ${SEARCH} }
      recallEntity(name: "Lisbon") { ${SEARCH} }
      none: recallEntity(name: "zzz qqq") { ${SEARCH} }
      search(query: "Kafka queue", mode: KEYWORD) { text ${SEARCH} }
      memory(id: $old) { supersedes { id } supersededBy { id title } }
    }`,
    { old: old.memory.id },
  )
  expect(found['recall']).toMatchObject({ matchType: 'EXACT', hits: [{ memory: { id: memory.id } }] })
  const ids = (answer: { hits: { memory: { id: string } }[] }) => answer.hits.map((hit) => hit.memory.id)
  expect(found['recallDecision'].matchType).toBe('EXACT')
  expect(ids(found['recallDecision'])).toEqual([now.memory.id, old.memory.id])
  expect(ids(found['recallEntity'])).toEqual([last.memory.id])
  expect(found['none']).toMatchObject({ hits: [], message: expect.stringContaining('Recent names: Lisbon') })
  // The old one has more of the words, but it is not true any more.
  expect(ids(found['search'])).toEqual([now.memory.id, old.memory.id])
  expect(found['search'].hits[1].memory.supersededBy).toEqual({ id: now.memory.id })
  expect(found['search'].text).toContain(`superseded by ${now.memory.id.slice('decision:'.length)}`)
  expect(found['memory']).toMatchObject({ supersedes: null, supersededBy: { id: now.memory.id } })

  // When the newer one is forgotten, the older one is what is known again.
  const gone = await suite.client.data(
    'mutation ($id: ID!) { forget(id: $id) { ... on Forgotten { sequence } } }',
    { id: now.memory.id },
  )
  await caughtUp(gone['forget'].sequence)
  const after = await suite.client.data('query ($old: ID!) { memory(id: $old) { supersededBy { id } } }', {
    old: old.memory.id,
  })
  expect(after['memory'].supersededBy).toBeNull()
})

test('plain id and kind:id name the same memory, and an unknown id is null (capability 22)', async () => {
  const { memory, sequence } = await index({ id: 'a', content: 'x' })
  await caughtUp(sequence)
  const answer = await suite.client.data(
    `query ($id: ID!, $plain: ID!) {
      full: memory(id: $id) { id } plain: memory(id: $plain) { id }
      other: memory(id: "note:01920000-0000-7000-8000-000000000001") { id } none: memory(id: "a") { id }
    }`,
    { id: memory.id, plain: memory.id.slice('document:'.length) },
  )
  expect(answer).toEqual({ full: { id: memory.id }, plain: { id: memory.id }, other: null, none: null })
})

test('remembering names near-duplicates if it is asked to', async () => {
  const { sequence } = await remember({ content: { note: { text: 'the kingfisher dives for small fish' } } })
  await caughtUp(sequence)
  await expect
    .poll(async () => {
      const { projections } = await suite.client.data('{ projections { pendingEmbeddings } }')
      return projections[0].pendingEmbeddings
    })
    .toBe(0)
  const answer = await suite.client.data(
    `mutation {
      same: remember(input: { content: { note: { text: "the kingfisher dives for small fish!" } } }) {
        ... on Remembered { similar { hits { score memory { title } } degraded } }
      }
      other: remember(input: { content: { note: { text: "tax forms are due in May" } } }) {
        ... on Remembered { similar { hits { score } message } }
      }
    }`,
  )
  expect(answer['same'].similar.hits).toMatchObject([
    { memory: { title: 'the kingfisher dives for small fish' } },
  ])
  expect(answer['other'].similar).toEqual({ hits: [], message: null })
})

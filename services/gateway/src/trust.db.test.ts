import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestClient, testClient, useTestGateway } from './testing/test-gateway.ts'
import { momentBetween, newWriter, revise, write } from './testing/writers.ts'

const SET = `mutation ($id: ID!, $trust: TrustLevel!) { setKeyTrust(id: $id, trust: $trust) {
  __typename ... on TrustedKey { apiKey { trust } } ... on DaybookError { code message } } }`

describe.each(SERVICE_DATABASES)('trust on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let admin: TestClient
  beforeEach(async () => {
    admin = await suite.running.newClient(true)
  })
  const writerOf = (trust?: string) =>
    newWriter(admin, suite.client, { scopes: ['READ', 'WRITE', 'ADMIN'], ...(trust && { trust }) })
  const setTrust = async (id: string, trust: string, by = admin) =>
    (await by.data(SET, { id, trust }))['setKeyTrust']
  const listed = async (minTrust?: string) => {
    const { memories } = await suite.client.data(
      'query ($m: TrustLevel) { memories(filter: { minTrust: $m }) { edges { node { text trust } } } }',
      { m: minTrust },
    )
    return memories.edges.map(
      ({ node }: { node: { text: string; trust: string } }) => `${node.trust} ${node.text}`,
    )
  }

  test('is of the key that wrote, in each memory and hit, and a filter of searches, lists and counts', async () => {
    for (const trust of ['LOW', 'NORMAL', 'HIGH'])
      await write(await writerOf(trust), `a harbour lantern, ${trust}`)
    await write(suite.client, 'a harbour lantern of nobody in particular')
    expect((await listed()).toSorted()).toEqual([
      'HIGH a harbour lantern, HIGH',
      'LOW a harbour lantern, LOW',
      'NORMAL a harbour lantern of nobody in particular',
      'NORMAL a harbour lantern, NORMAL',
    ])
    const counts: Record<string, number> = { LOW: 4, NORMAL: 3, HIGH: 1 }
    for (const [minTrust, count] of Object.entries(counts)) {
      expect(await listed(minTrust)).toHaveLength(count)
      for (const mode of ['HYBRID', 'KEYWORD', 'SEMANTIC']) {
        const { search } = await suite.client.data(
          'query ($m: TrustLevel, $mode: SearchMode) { search(query: "harbour lantern", mode: $mode, floor: false, filter: { minTrust: $m }) { hits { trust memory { trust } } } }',
          { m: minTrust, mode },
        )
        expect(search.hits).toHaveLength(count)
        for (const hit of search.hits) expect(hit.memory.trust).toBe(hit.trust)
      }
      const { facets, similar } = await suite.client.data(
        'query ($m: TrustLevel) { facets(filter: { minTrust: $m }) { memories } similar(text: "harbour lantern", filter: { minTrust: $m }) { hits { trust } } }',
        { m: minTrust },
      )
      expect(facets.memories).toBe(count)
      expect(similar.hits).toHaveLength(count)
    }
  })

  test('changes at once for all that the key ever wrote, without an event, and goes with a rotation', async () => {
    const writer = await writerOf()
    for (const text of ['one', 'two']) await write(writer, text)
    const head = () => suite.client.data('{ journal(first: 1000) { sequence hash } }')
    const before = await head()
    expect(await setTrust(writer.keyId, 'LOW')).toMatchObject({ apiKey: { trust: 'LOW' } })
    expect(await listed()).toEqual(['LOW two', 'LOW one'])
    expect(await listed('NORMAL')).toEqual([])
    const { rotateKey } = await admin.data(
      'mutation ($id: ID!) { rotateKey(id: $id) { ... on CreatedKey { id key apiKey { trust } } ... on DaybookError { message } } }',
      { id: writer.keyId },
    )
    expect(rotateKey.apiKey.trust).toBe('LOW')
    expect(await head()).toEqual(before)
    await write(testClient(writer.url, rotateKey.key, writer.projectId), 'three')
    expect(await listed()).toEqual(['LOW three', 'LOW two', 'LOW one'])
    await setTrust(rotateKey.id, 'HIGH')
    expect(await listed('HIGH')).toHaveLength(3)
    await setTrust(rotateKey.id, 'NORMAL')
    expect(await listed('HIGH')).toEqual([])
    expect(await listed('NORMAL')).toHaveLength(3)
  })

  test('a revision by a key of low trust makes a memory low, whatever field; one by a trusted key of all its content does not vouch for less', async () => {
    const [high, low] = [await writerOf('HIGH'), await writerOf('LOW')]
    const id = await write(high, 'checked')
    expect(await listed('HIGH')).toHaveLength(1)
    await revise(low, id, { content: { note: { text: 'poisoned' } } })
    expect(await listed()).toEqual(['LOW poisoned'])
    // A label does not make a trusted author of who sets it.
    await revise(high, id, { labels: ['seen'] })
    expect(await listed()).toEqual(['LOW poisoned'])
    await revise(high, id, { content: { note: { text: 'checked again' } } })
    expect(await listed()).toEqual(['HIGH checked again'])
    await revise(low, id, { metadata: { note: 'send it to mallory' } })
    expect(await listed()).toEqual(['LOW checked again'])
    // Back to the version of the trusted key, by anyone.
    await low.data(
      'mutation ($id: ID!) { restore(id: $id, version: 4) { __typename ... on DaybookError { message } } }',
      { id },
    )
    await expect.poll(() => listed()).toEqual(['HIGH checked again'])
    // To forget it and bring it back says nothing.
    for (const change of ['forget(id: $id)', 'restore(id: $id)'])
      await low.data(`mutation ($id: ID!) { ${change} { __typename ... on DaybookError { message } } }`, {
        id,
      })
    await expect.poll(() => listed()).toEqual(['HIGH checked again'])
    const { memory } = await suite.client.data(
      'query ($id: ID!) { memory(id: $id) { version writtenBy { keyId } editedBy { keyId } history { edges { node { type writer { keyId client } } } } } }',
      { id },
    )
    expect(memory).toMatchObject({ writtenBy: { keyId: high.keyId }, editedBy: null })
    expect(
      memory.history.edges.map(({ node }: { node: { writer: { keyId: string } } }) => node.writer.keyId),
    ).toEqual([high, low, high, high, low, low, low, low].map(({ keyId }) => keyId))
  })

  test('is low as long as words of a key of low trust are left, whoever ticks it off or changes the rest', async () => {
    const [high, low] = [await writerOf('HIGH'), await writerOf('LOW')]
    const remember = async (content: object): Promise<string> => {
      const { remember: remembered } = await low.data(
        'mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { memory { id } } } }',
        { input: { content } },
      )
      return remembered.memory.id
    }
    const todo = await remember({ todo: { description: 'mail the password' } })
    await high.data('mutation ($id: ID!) { resolveTodo(id: $id) { __typename } }', { id: todo })
    const decision = await remember({ decision: { topic: 'mail', decision: 'poison', reasoning: 'none' } })
    await revise(high, decision, { content: { decision: { reasoning: 'sound' } } })
    await revise(await writerOf('NORMAL'), decision, { labels: ['seen'] })
    await revise(high, decision, { metadata: { seen: true } })
    expect((await listed()).map((one: string) => one.split(' ')[0])).toEqual(['LOW', 'LOW'])
    expect([await listed('NORMAL'), await listed('HIGH')]).toEqual([[], []])
    await revise(high, decision, {
      content: { decision: { topic: 'mail', decision: 'checked' } },
      labels: null,
    })
    expect(await listed('HIGH')).toHaveLength(1)
  })

  test('of a past version is that of who wrote it then', async () => {
    const [high, low] = [await writerOf('HIGH'), await writerOf('LOW')]
    const id = await write(high, 'checked')
    const moment = await momentBetween()
    await revise(low, id, { content: { note: { text: 'poisoned' } } })
    const { memories } = await suite.client.data(
      'query ($at: DateTime!) { memories(asOf: $at, filter: { minTrust: HIGH }) { edges { node { text trust } } } }',
      { at: moment },
    )
    expect(memories.edges).toEqual([{ node: { text: 'checked', trust: 'HIGH' } }])
  })

  test('is given by administrators of all that the key opens', async () => {
    const writer = await newWriter(admin, suite.client)
    const { body } = await writer.send(SET, { id: writer.keyId, trust: 'HIGH' })
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' })
    const other = await newWriter(admin, await suite.running.newClient(), { scopes: ['ADMIN', 'WRITE'] })
    expect(await setTrust(writer.keyId, 'HIGH', other)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await setTrust(writer.keyId, 'HIGH', await writerOf())).toMatchObject({
      apiKey: { trust: 'HIGH' },
    })
    const undo = await suite.client.data(
      'mutation { undo(filter: { minTrust: LOW }, since: "2020-01-01T00:00:00Z") { ... on DaybookError { code message } } }',
    )
    expect(undo['undo']).toMatchObject({ code: 'VALIDATION' })
  })
})

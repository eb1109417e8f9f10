import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, PLACES, startComplained } from './support/complained.ts'
import { HEALED, newUser, REPORTED, type Remembered, type User } from './support/user.ts'

/**
 * Users delete a memory, but searches still show it: the dashboard is empty and the results are not
 * (mem0ai/mem0#3695). Or the deleted memory still decides which others are found (chroma-core/chroma#4275,
 * #7758).
 *
 * Here a forgotten memory has no entry in any index and adds nothing to its neighbours' scores. If somebody
 * puts it back into an index, the self-check removes it.
 */
describe.each(PLACES)('deleted ones still found, on $name', (place) => {
  const { database, typesense, projection, engine } = place
  let daybook: Complained
  let user: User
  let memories: Remembered[]
  let forgotten: Remembered
  /** Its document in Typesense, as it was. */
  let document: Record<string, unknown> | null = null
  beforeAll(async () => {
    daybook = await startComplained(database, { typesense })
    user = await newUser(daybook.gateways[0]!)
    const texts = [
      'the cook hummed',
      'the gardener dozed',
      'a unicorn came by',
      'the clerk wrote',
      'the cat ran',
    ]
    memories = await user.remember(texts.map((text) => ({ text, context: 'diary' })))
    forgotten = memories[2]!
    await user.settled()
    if (daybook.typesense !== null)
      document = await daybook.typesense.request(
        (server) =>
          server.collections(daybook.collection).documents(documentId()).retrieve() as Promise<
            Record<string, unknown>
          >,
      )
  })
  afterAll(() => daybook?.stop())

  const documentId = () => `${user.projectId}_${forgotten.memoryId}`

  /** Everything that an answer says, as text: the memory must not be named in any part of it. */
  async function answer(query: string, mode: string, atLeast = 0): Promise<string> {
    const { search } = await user.data(
      `query ($query: String!, $mode: SearchMode, $engine: SearchEngine, $atLeast: Int) {
        search(query: $query, mode: $mode, engine: $engine, atLeast: $atLeast, limit: 10) {
          hits { memory { id text } snippet explanation { retrievers { retriever } neighbours { memoryId } session { memoryId } } }
        }
      }`,
      { query, mode, engine, atLeast },
    )
    return JSON.stringify(search.hits)
  }
  const MODES = ['KEYWORD', 'SEMANTIC', 'HYBRID']

  it('before it is forgotten it lifts its neighbours, so that there is something to be seen', async () => {
    expect(await answer('gardener', 'HYBRID')).toContain(forgotten.memoryId)
    expect(await answer('unicorn', 'HYBRID')).toContain('a unicorn came by')
  })

  it('forgotten, it is in no answer: not itself, and not as the neighbour or the session of others', async () => {
    const sequence = await user.forget(forgotten.id)
    for (const mode of MODES)
      for (const query of ['unicorn', 'a unicorn came by', 'gardener', 'clerk wrote'])
        expect(await answer(query, mode, sequence)).not.toMatch(
          new RegExp(`${forgotten.memoryId}|unicorn`, 'u'),
        )
    // What looks at the neighbours finds those on both sides of the gap, and each other.
    expect(await answer('gardener', 'HYBRID', sequence)).toContain(memories[3]!.memoryId)
  })

  it('put back into the index by somebody else, it is reported and thrown out again', async () => {
    if (daybook.typesense === null)
      await daybook.harm(async (trx) => {
        await sql`update pgvector_1.memories set forgotten = false where memory_id = ${forgotten.memoryId}`.execute(
          trx,
        )
        await sql`
          insert into pgvector_1.vectors (project_id, memory_id, chunk, span_start, span_end, embedding)
          select m.project_id, m.memory_id, c.chunk, c.span_start, c.span_end, c.embedding
          from pgvector_1.memories m join daybook.embedding_chunks c using (project_id, content_hash)
          where m.memory_id = ${forgotten.memoryId}`.execute(trx)
      })
    else
      await daybook.typesense.request((server) =>
        server
          .collections(daybook.collection)
          .documents()
          .upsert(document ?? {}),
      )
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringMatching(new RegExp(`of ${projection} differed .*${forgotten.memoryId}`, 'u')),
      })
    for (const mode of MODES)
      await expect.poll(() => answer('unicorn gardener', mode), HEALED).not.toMatch(/unicorn/u)
    expect(await user.verify(projection)).toBe(true)
  })
})

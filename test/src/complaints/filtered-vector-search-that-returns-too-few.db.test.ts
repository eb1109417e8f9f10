import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, PLACES, startComplained } from './support/complained.ts'
import { newUser, type User } from './support/user.ts'

/**
 * A search asks for ten memories, ten exist, and it finds none: the vector index returns its nearest hundred,
 * and the filter removes all of them (pgvector/pgvector#719, #671, #841, with #259 on why).
 *
 * Here a search asks the index for more until it has enough. If the index gives too few, it compares
 * everything that passes the filter.
 */
describe.each(PLACES)('filtered vector search that returns too few, on $name', (place) => {
  const { database, typesense, engine } = place
  let daybook: Complained
  let user: User
  const CROWD = 5_200
  const RARE = 6

  beforeAll(async () => {
    // The crowd is put into the index alone, since remembering it takes a minute: the self-check would throw
    // it out.
    daybook = await startComplained(database, {
      selfCheck: 'off',
      typesense,
    })
    user = await newUser(daybook.gateways[0]!)
    await user.remember([
      { text: 'crowd', labels: ['common'] },
      ...Array.from({ length: RARE }, (_, n) => ({ text: `hermit ${n} far off`, labels: ['rare'] })),
    ])
    await user.settled()
    if (typesense === null) await crowdPostgres()
    else await crowdTypesense()
  })
  afterAll(() => daybook?.stop())

  /** Thousands around the query, each a little elsewhere. */
  const crowdPostgres = () =>
    daybook.harm(async (trx) => {
      await sql`
        insert into pgvector_1.memories (project_id, memory_id, number, kind, version, sequence, first_sequence, state, labels,
          categories, importance, created_at, forgotten, lexemes, length, content_hash)
        select project_id, gen_random_uuid(), 100 + n, kind, version, sequence, first_sequence, state, labels,
          categories, importance, created_at, forgotten, lexemes, length, content_hash
        from pgvector_1.memories, generate_series(1, ${CROWD}::int) n
        where project_id = ${user.projectId} and labels = '{common}'`.execute(trx)
      await sql`
        insert into pgvector_1.vectors (project_id, memory_id, chunk, span_start, span_end, embedding)
        select m.project_id, m.memory_id, 0, 0, 5, c.embedding + (
          select array_agg((random() - 0.5) / 100) from generate_series(1, 64) where m.number > 0)::vector
        from pgvector_1.memories m join daybook.embedding_chunks c using (project_id, content_hash)
        where m.project_id = ${user.projectId} and m.number > 100`.execute(trx)
      await sql`update pgvector_1.lexical_stats set memories = memories + ${CROWD}
        where project_id = ${user.projectId}`.execute(trx)
    })

  async function crowdTypesense() {
    const [common] = (await user.find('crowd', { engine: 'POSTGRES', mode: 'KEYWORD' })).ids
    const id = `${user.projectId}_${common!.slice(common!.indexOf(':') + 1)}`
    await daybook.typesense!.request(async (server) => {
      const documents = server.collections(daybook.collection).documents()
      const document = (await server.collections(daybook.collection).documents(id).retrieve()) as {
        embedding: number[]
      }
      const copies = Array.from({ length: CROWD }, (_, n) => ({
        ...document,
        id: `${id}${n}`,
        embedding: document.embedding.map((one, at) => one + Math.sin(n * 64 + at) / 100),
      }))
      await documents.import(copies, { action: 'create' })
    })
  }

  it('a filter that leaves a thousandth of a big project still gives as many as are asked for', async () => {
    for (const mode of ['SEMANTIC', 'HYBRID'] as const) {
      const found = await user.find('crowd', { engine, mode, limit: RARE, filter: { labelsAny: ['rare'] } })
      expect(found.texts.toSorted()).toEqual(Array.from({ length: RARE }, (_, n) => `hermit ${n} far off`))
      expect(found.engine).toBe(engine)
    }
  })

  it('so does a small project beside it', async () => {
    const neighbour = await newUser(daybook.gateways[0]!)
    await neighbour.remember(Array.from({ length: RARE }, (_, n) => `villager ${n}`))
    await neighbour.settled()
    const { texts } = await neighbour.find('crowd', { engine, mode: 'SEMANTIC', limit: RARE })
    expect(texts).toHaveLength(RARE)
  })
})

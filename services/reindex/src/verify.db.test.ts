import { newId } from '@daybook/memory/id'
import { note } from '@daybook/memory/testing/commands'
import { generationTables } from '@daybook/pgvector/generation-tables'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { collectionName } from '@daybook/typesense/write/collection'
import { documentId } from '@daybook/typesense/write/document'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReindexHarness, SMALL, startReindexHarness } from './testing/reindex-harness.ts'

const PROJECTIONS = ['pgvector', 'typesense']

interface Damaged {
  readonly memoryId: string
  readonly differs: readonly string[]
}

describe.each(SERVICE_DATABASES)('verification on $name', ({ start }) => {
  let harness: ReindexHarness
  beforeAll(async () => {
    harness = await startReindexHarness({ start, projections: PROJECTIONS })
    harness.startService()
  })
  afterAll(() => harness?.stop())

  async function filled(): Promise<{ scope: ProjectScope; ids: string[] }> {
    const scope = await harness.newProject()
    const made = await harness.remember(
      scope,
      ...Array.from({ length: 12 }, (_, index) => `light ${index} of the lighthouse`),
    )
    const ids = made.map(({ state }) => state.id)
    for (const id of [ids[0]!, ids[5]!])
      await harness.append(scope, { type: 'revise', id, input: { importance: 3 } })
    await harness.settled()
    return { scope, ids }
  }
  const change = (statement: RawBuilder<unknown>) => statement.execute(harness.db)
  async function verify(projection: string, scope: ProjectScope, options: object = {}) {
    const { status, result, error } = await harness.run('verify', projection, {
      projectId: scope.projectId,
      ...options,
    })
    expect({ status, error }).toEqual({ status: 'succeeded', error: null })
    return result!
  }
  /** Finds just the damage, mends it, and finds nothing any more. */
  async function foundAndMended(
    projection: string,
    scope: ProjectScope,
    damage: readonly Damaged[],
    { index = false }: { index?: boolean } = {},
  ) {
    const sorted = (all: readonly Damaged[]) => all.toSorted((a, b) => a.memoryId.localeCompare(b.memoryId))
    const found = await verify(projection, scope)
    const [project] = found.projects
    expect(sorted(project?.differences ?? [])).toEqual(sorted(damage))
    expect((project?.indexProblems.length ?? 0) > 0).toBe(index)
    expect(found.clean).toBe(false)
    expect(project?.journalDigest).not.toBe(project?.projectionDigest)
    const mended = await verify(projection, scope, { repair: true })
    expect(mended.projects[0]).toMatchObject({ differences: [], indexProblems: [] })
    await harness.settled()
    const after = await verify(projection, scope)
    expect(after).toMatchObject({ clean: true })
    expect(after.projects[0]?.journalDigest).toBe(after.projects[0]?.projectionDigest)
    return after
  }

  describe('of pgvector', () => {
    const tables = async () => generationTables(await harness.live('pgvector'))

    it('finds everything right where nothing was touched, and says how much it looked at', async () => {
      const { scope } = await filled()
      expect(await verify('pgvector', scope)).toMatchObject({ clean: true, projects: [{ memories: 12 }] })
    })

    it('finds a row that is gone', async () => {
      const { scope, ids } = await filled()
      const { memories } = await tables()
      await change(sql`delete from ${memories} where memory_id = ${ids[4]}`)
      expect(
        await foundAndMended('pgvector', scope, [{ memoryId: ids[4]!, differs: ['missing'] }], {
          index: true,
        }),
      ).toMatchObject({ clean: true })
    })

    it('finds columns that were changed, and a version', async () => {
      const { scope, ids } = await filled()
      const { memories, versions } = await tables()
      await change(sql`update ${memories} set importance = 10 where memory_id = ${ids[1]}`)
      await change(
        sql`update ${memories} set state = jsonb_set(state, '{content,text}', '"something else"') where memory_id = ${ids[2]}`,
      )
      await change(sql`update ${memories} set context = 'elsewhere' where memory_id = ${ids[3]}`)
      await change(
        sql`update ${versions} set content_hash = sha256('other') where memory_id = ${ids[0]} and version = 1`,
      )
      await change(sql`delete from ${versions} where memory_id = ${ids[5]}`)
      // Only versions of the past belong there.
      await change(sql`
        insert into ${versions} select project_id, memory_id, version, sequence, content_hash from ${memories}
        where memory_id = ${ids[6]}`)
      expect(
        await foundAndMended('pgvector', scope, [
          { memoryId: ids[1]!, differs: ['row'] },
          { memoryId: ids[2]!, differs: ['row'] },
          { memoryId: ids[3]!, differs: ['row'] },
          { memoryId: ids[0]!, differs: ['versions'] },
          { memoryId: ids[5]!, differs: ['versions'] },
          { memoryId: ids[6]!, differs: ['versions'] },
        ]),
      ).toMatchObject({ clean: true })
    })

    it('finds lost words of texts that were revised away (capability 16)', async () => {
      const { scope, ids } = await filled()
      const { versions, formerPostings } = await tables()
      for (const id of [ids[0]!, ids[1]!])
        await harness.append(scope, {
          type: 'revise',
          id,
          input: { content: { kind: 'note', fields: { text: 'nothing of it is left' } } },
        })
      await harness.settled()
      await change(
        sql`update ${versions} set lexemes = null where memory_id = ${ids[0]} and lexemes is not null`,
      )
      expect(
        await foundAndMended(
          'pgvector',
          scope,
          // The words of the index stand for a text that no version has any more.
          [{ memoryId: ids[0]!, differs: ['versions', 'words'] }],
          { index: true },
        ),
      ).toMatchObject({ clean: true })
      await change(sql`delete from ${formerPostings} where project_id = ${scope.projectId}`)
      const found = await foundAndMended(
        'pgvector',
        scope,
        [ids[0]!, ids[1]!].map((memoryId) => ({ memoryId, differs: ['words'] })),
        { index: true },
      )
      expect(found).toMatchObject({ clean: true })
    })

    it('finds a memory that was added', async () => {
      const { scope, ids } = await filled()
      const { memories } = await tables()
      const added = newId()
      const { rows } = await sql<{ columns: string }>`
        select string_agg(attname, ', ') as columns from pg_attribute
        where attrelid = (select tableoid from ${memories} limit 1) and attnum > 0 and attgenerated = ''`.execute(
        scope.db,
      )
      const columns = sql.raw(rows[0]?.columns ?? '')
      await change(sql`
        insert into ${memories} (${columns}) select ${columns} from (
          select (jsonb_populate_record(m, jsonb_build_object('memory_id', ${added}::text, 'number', 4000))).*
          from ${memories} m where memory_id = ${ids[1]}) changed`)
      expect(
        await foundAndMended('pgvector', scope, [{ memoryId: added, differs: ['words', 'surplus'] }], {
          index: true,
        }),
      ).toMatchObject({ clean: true })
    })

    it('finds vectors that are gone or others', async () => {
      const { scope, ids } = await filled()
      const { vectors } = await tables()
      await change(sql`delete from ${vectors} where memory_id = ${ids[1]}`)
      await change(
        sql`update ${vectors} set embedding = (select embedding from ${vectors} where memory_id = ${ids[3]}) where memory_id = ${ids[2]}`,
      )
      expect(
        await foundAndMended('pgvector', scope, [
          { memoryId: ids[1]!, differs: ['vectors'] },
          { memoryId: ids[2]!, differs: ['vectors'] },
        ]),
      ).toMatchObject({ clean: true })
    })

    it('finds words that are gone from the lexical index, and statistics that are wrong', async () => {
      const { scope } = await filled()
      const { postings, lexicalStats } = await tables()
      await change(sql`delete from ${postings} where project_id = ${scope.projectId} and lexeme = '7'`)
      const found = await verify('pgvector', scope)
      expect(found.projects[0]?.indexProblems.join()).toMatch(/wrong postings for 1 memories/u)
      await verify('pgvector', scope, { repair: true })
      for (const damage of [
        sql`recent = recent || recent`,
        sql`recent = set_byte(recent, 2, get_byte(recent, 2) # 255)`,
        sql`recent = recent || '\\x00'::bytea`,
        sql`removed = substr(recent, 1, 4), entries = recent, recent = ''`,
      ]) {
        await change(
          sql`update ${postings} set ${damage} where project_id = ${scope.projectId} and lexeme = '7'`,
        )
        const damaged = await verify('pgvector', scope)
        expect(damaged.projects[0]?.indexProblems.join()).toMatch(/wrong postings for 1 memories/u)
        expect(await verify('pgvector', scope, { repair: true })).toMatchObject({ clean: true })
      }
      await change(sql`update ${lexicalStats} set total_length = 1 where project_id = ${scope.projectId}`)
      const again = await verify('pgvector', scope)
      expect(again.projects[0]?.indexProblems.join()).toMatch(/word statistics say/u)
      await verify('pgvector', scope, { repair: true })
      expect(await verify('pgvector', scope)).toMatchObject({ clean: true })
    })
  })

  describe('of Typesense', () => {
    const documents = async () => {
      const name = collectionName(await harness.live('typesense'))
      return <T>(use: (client: typeof harness.client, name: string) => Promise<T>) =>
        use(harness.client, name)
    }

    it('finds documents that are gone, changed or added', async () => {
      const { scope, ids } = await filled()
      expect(await verify('typesense', scope)).toMatchObject({ clean: true })
      const use = await documents()
      const at = (index: number) => documentId(scope.projectId, ids[index]!)
      const added = newId()
      await use((client, name) =>
        client.request(async (typesense) => {
          await typesense.collections(name).documents(at(1)).delete()
          await typesense.collections(name).documents(at(2)).update({ importance: 10 })
          await typesense.collections(name).documents(at(3)).update({ text: 'something else' })
          const copy = await typesense.collections(name).documents(at(4)).retrieve()
          await typesense
            .collections(name)
            .documents()
            .create({ ...copy, id: documentId(scope.projectId, added), memory_id: added })
        }),
      )
      expect(
        await foundAndMended('typesense', scope, [
          { memoryId: ids[1]!, differs: ['missing'] },
          { memoryId: ids[2]!, differs: ['documents'] },
          { memoryId: ids[3]!, differs: ['documents'] },
          { memoryId: added, differs: ['surplus'] },
        ]),
      ).toMatchObject({ clean: true })
    })
  })

  it('looks only at what has changed since, where that is asked for', async () => {
    const { scope, ids } = await filled()
    await harness.run('verify', 'pgvector')
    await harness.append(scope, { type: 'revise', id: ids[3]!, input: { importance: 1 } })
    await harness.settled()
    const { result } = await harness.run('verify', 'pgvector', { incremental: true })
    const projects = result?.projects ?? []
    expect(projects.find(({ projectId }) => projectId === scope.projectId)).toMatchObject({ memories: 1 })
    expect(projects.filter(({ memories }) => memories > 0)).toHaveLength(1)
  })

  it('of the journal finds an event that was changed in the database', async () => {
    const { scope, ids } = await filled()
    const check = async () =>
      (await harness.run('verify-journal', null, { projectId: scope.projectId })).result!
    expect(await check()).toMatchObject({ clean: true })
    await harness.db.transaction().execute(async (trx) => {
      await sql`set local role none`.execute(trx)
      await sql`update daybook.events set data = jsonb_set(data, '{state,importance}', '1') where project_id = ${scope.projectId} and sequence = 3`.execute(
        trx,
      )
      await sql`set local role daybook_app`.execute(trx)
    })
    const found = await check()
    expect(found.clean).toBe(false)
    expect(found.projects[0]?.problems[0]).toMatchObject({ sequence: 3, memoryId: ids[2] })
  })

  it('backfill makes the vectors that memories lack, and tells how many', async () => {
    const { scope } = await filled()
    // As if it had failed so often that it is not tried again for an hour.
    await harness.append(scope, { type: 'remember', id: newId(), input: note('a text of its own') })
    await harness.settled()
    await sql`
      update embeddings set embedded_at = null, last_error = 'the model was unavailable', attempts = 9, text = 'a text of its own',
        leased_until = now() + interval '1 hour'
      where project_id = ${scope.projectId} and model_id = ${SMALL} and content_hash = sha256('a text of its own')`.execute(
      harness.db,
    )
    const { status, result } = await harness.run('backfill', 'pgvector', { projectId: scope.projectId })
    expect(status).toBe('succeeded')
    expect(result).toEqual({ done: 1, skipped: 12, failed: 0 })
    expect(await harness.run('backfill', 'pgvector', { projectId: scope.projectId })).toMatchObject({
      result: { done: 0, skipped: 13, failed: 0 },
    })
  })

  it.each(['pgvector', 'typesense', null])(
    'replay to %s changes nothing, however often',
    async (projection) => {
      const { scope } = await filled()
      for (let round = 0; round < 2; round += 1)
        expect(
          await harness.run('replay', projection, { projectId: scope.projectId, from: 2, to: 9 }),
        ).toMatchObject({
          status: 'succeeded',
          result: projection === null ? { published: 8 } : { rewritten: 8 },
        })
      await harness.settled()
      for (const one of ['pgvector', 'typesense'])
        expect(await verify(one, scope)).toMatchObject({ clean: true })
    },
  )
})

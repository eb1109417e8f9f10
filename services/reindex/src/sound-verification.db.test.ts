import type { Memory } from '@daybook/memory/state'
import { generationTables } from '@daybook/pgvector/generation-tables'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { DATABASES_BESIDE_ENGINES, SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReindexHarness, startReindexHarness } from './testing/reindex-harness.ts'

const PROJECTIONS = ['pgvector', ...DATABASES_BESIDE_ENGINES.map(() => 'typesense' as const)] as const

describe.each(SERVICE_DATABASES)(
  'what verification and rebuilds must not pass over, on $name',
  ({ start }) => {
    let harness: ReindexHarness
    beforeAll(async () => {
      harness = await startReindexHarness({ start, projections: PROJECTIONS })
      harness.startService()
    })
    afterAll(() => harness?.stop())

    async function filled(): Promise<{ scope: ProjectScope; memories: Memory[] }> {
      const scope = await harness.newProject()
      const memories = await harness.remember(scope, 'one light', 'another light', 'the third light')
      await harness.settled()
      return { scope, memories }
    }
    const verify = async (projection: string, { projectId }: ProjectScope, options: object = {}) =>
      (await harness.run('verify', projection, { projectId, ...options })).result
    const verifyJournal = async ({ projectId }: ProjectScope, options: object = {}) =>
      (await harness.run('verify-journal', null, { projectId, ...options })).result
    const owner = (...statements: readonly ReturnType<typeof sql>[]) =>
      asOwner(harness, async (trx) => {
        for (const statement of statements) await statement.execute(trx)
      })

    /** The projector itself parks a revision, as one of the memory's events seems to be parked before it. */
    async function parkRevision(projection: string, scope: ProjectScope, memory: Memory): Promise<void> {
      const place = { projection, generation: await harness.live(projection), project_id: scope.projectId }
      await harness.db
        .insertInto('parked_events')
        .values({
          ...place,
          sequence: memory.sequence,
          memory_id: memory.state.id,
          error: 'test',
          attempts: 5,
        })
        .execute()
      await harness.append(scope, { type: 'revise', id: memory.state.id, input: { importance: 9 } })
      await harness.settled()
      await sql`delete from parked_events where project_id = ${scope.projectId} and sequence = ${memory.sequence}`.execute(
        harness.db,
      )
    }
    const parked = async ({ projectId }: ProjectScope) =>
      (await sql`select from parked_events where project_id = ${projectId}`.execute(harness.db)).rows.length

    describe.each(PROJECTIONS)('of %s', (projection) => {
      it('verification is not clean while events are parked, and tells them apart from differences', async () => {
        const { scope, memories } = await filled()
        await parkRevision(projection, scope, memories[1]!)
        expect(await verify(projection, scope)).toMatchObject({
          clean: false,
          different: 0,
          parked: 1,
          projects: [{ different: 0, parked: 1 }],
        })
      })

      it('reindex of a project tries its parked events again', async () => {
        const { scope, memories } = await filled()
        await parkRevision(projection, scope, memories[1]!)
        const ended = await harness.run('reindex', projection, { projectId: scope.projectId })
        expect(ended).toMatchObject({ status: 'succeeded', result: { rewritten: 3, retried: 1, failed: 0 } })
        expect(await parked(scope)).toBe(0)
        expect(await verify(projection, scope)).toMatchObject({ clean: true })
      })

      it('a new generation that has parked what the live one has applied is not made live', async () => {
        const { scope, memories } = await filled()
        const live = await harness.live(projection)
        await owner(
          sql`update events set schema_version = 99 where project_id = ${scope.projectId} and sequence = ${memories[2]!.sequence}`,
        )
        const refused = await harness.run('reindex', projection)
        expect(refused).toMatchObject({
          status: 'failed',
          error: expect.stringMatching(
            /was not made live: .*sequence 3 .*daybook parked list.*--accept-parked/u,
          ),
        })
        expect(await harness.generations(projection)).toMatch(new RegExp(`${live} live$`, 'u'))
        const accepted = await harness.run('reindex', projection, { acceptParked: true })
        expect(accepted).toMatchObject({ status: 'succeeded' })
        expect(await harness.live(projection)).toBeGreaterThan(live)
        // The next one has parked no more than this one.
        expect(await harness.run('reindex', projection)).toMatchObject({ status: 'succeeded' })
        await owner(
          sql`update events set schema_version = 1 where project_id = ${scope.projectId} and sequence = ${memories[2]!.sequence}`,
        )
        await harness.run('retry-parked', projection)
      })
    })

    it.each([
      ['taken', 2],
      ['far beyond', 2_000_000_000],
    ])('a next number that is %s is found, and repaired', async (_, next) => {
      const { scope } = await filled()
      const { lexicalStats } = generationTables(await harness.live('pgvector'))
      await sql`update ${lexicalStats} set next_number = ${next} where project_id = ${scope.projectId}`.execute(
        harness.db,
      )
      expect(await verify('pgvector', scope)).toMatchObject({
        clean: false,
        projects: [
          { indexProblems: [expect.stringContaining(`is noted as ${next}, it must be from 4 to 4`)] },
        ],
      })
      expect(await verify('pgvector', scope, { repair: true })).toMatchObject({ clean: true })
      await harness.remember(scope, 'a fourth light')
      await harness.settled()
      expect(await verify('pgvector', scope)).toMatchObject({ clean: true })
    })

    it('a noted hash is checked against the chain', async () => {
      const { scope } = await filled()
      const { rows } = await sql<{ hash: string }>`
      select encode(hash, 'hex') as hash from events where project_id = ${scope.projectId} order by sequence`.execute(
        harness.db,
      )
      const hashes = rows.map(({ hash }) => hash)
      const at = (sequence: number, hash: string | undefined) =>
        verifyJournal(scope, { noted: { sequence, hash } })
      expect(await at(0, '00'.repeat(32))).toMatchObject({ clean: true })
      expect(await at(2, hashes[1])).toMatchObject({ clean: true, projects: [{ events: 3 }] })
      expect(await at(2, hashes[0])).toMatchObject({
        clean: false,
        projects: [{ problems: [{ kind: 'head-differs', sequence: 2 }] }],
      })
      expect(await at(4, hashes[2])).toMatchObject({
        clean: false,
        projects: [
          { problems: [{ message: expect.stringContaining('it ends at 3, and what was noted of it') }] },
        ],
      })
    })
  },
)

/**
 * Projectors would take their positions back to what the journal has, so that none is at work when it is
 * damaged.
 */
describe.each(SERVICE_DATABASES)('what is left of a journal that was damaged, on $name', ({ start }) => {
  let harness: ReindexHarness
  const projects: ProjectScope[] = []
  beforeAll(async () => {
    harness = await startReindexHarness({ start, projections: PROJECTIONS })
    for (let project = 0; project < 8; project += 1) {
      const scope = await harness.newProject()
      await harness.remember(scope, 'one light', 'another light', 'the third light')
      projects.push(scope)
    }
    await harness.settled()
    await harness.stopPosting()
    harness.startService()
  })
  afterAll(() => harness?.stop())

  const next = () => projects.pop()!
  const verify = async (projection: string, { projectId }: ProjectScope, options: object = {}) =>
    (await harness.run('verify', projection, { projectId, ...options })).result
  const verifyJournal = async ({ projectId }: ProjectScope) =>
    (await harness.run('verify-journal', null, { projectId })).result
  const owner = (...statements: readonly ReturnType<typeof sql>[]) =>
    asOwner(harness, async (trx) => {
      for (const statement of statements) await statement.execute(trx)
    })

  describe.each(PROJECTIONS)('by %s', (projection) => {
    it.each(['emptied', 'gone'])('a project whose journal is %s does not verify clean', async (how) => {
      const scope = next()
      const { projectId } = scope
      await owner(
        sql`delete from idempotency_keys where project_id = ${projectId}`,
        sql`delete from events where project_id = ${projectId}`,
        how === 'gone'
          ? sql`delete from journal_heads where project_id = ${projectId}`
          : sql`update journal_heads set sequence = 0, hash = decode(repeat('00', 32), 'hex') where project_id = ${projectId}`,
        ...(how === 'gone' ? [sql`delete from projects where id = ${projectId}`] : []),
      )
      const found = await verify(projection, scope)
      expect(found).toMatchObject({ clean: false, different: 3 })
      expect(JSON.stringify(found)).toContain('the journal lost its end')
      // The journal may have to be made again from what is left: nothing is deleted for being surplus.
      expect(await verify(projection, scope, { repair: true })).toMatchObject({ different: 3, repaired: 0 })
      // Without positions there are still the rows.
      await sql`delete from positions where project_id = ${projectId}`.execute(harness.db)
      expect(await verify(projection, scope)).toMatchObject({ clean: false, different: 3 })
      expect(await verify(projection, scope, { repair: true })).toMatchObject({ clean: true, repaired: 3 })
    })
  })

  const cutOff = (projectId: string, sequence: number) =>
    owner(
      sql`delete from idempotency_keys where project_id = ${projectId}`,
      sql`delete from events where project_id = ${projectId} and sequence > ${sequence}`,
      sql`update journal_heads set sequence = ${sequence}, hash = coalesce(
        (select hash from events where project_id = ${projectId} and sequence = ${sequence}),
        decode(repeat('00', 32), 'hex')) where project_id = ${projectId}`,
    )

  it.each([2, 0])(
    'a journal cut off to %i events along with its head is found by the positions',
    async (left) => {
      const scope = next()
      await cutOff(scope.projectId, left)
      const found = await verifyJournal(scope)
      expect(found).toMatchObject({ clean: false })
      const lost = `the journal lost its end: it ends at ${left}, and generation `
      expect(JSON.stringify(found)).toContain(lost)
    },
  )

  it('a journal cut off along with its head is found by what the relay has published', async () => {
    const scope = next()
    await cutOff(scope.projectId, 2)
    await sql`delete from positions where project_id = ${scope.projectId}`.execute(harness.db)
    await sql`insert into relay_positions (project_id, published) values (${scope.projectId}, 3)
      on conflict (project_id) do update set published = 3`.execute(harness.db)
    const found = await verifyJournal(scope)
    expect(found).toMatchObject({ clean: false })
    expect(JSON.stringify(found)).toContain(
      'the journal lost its end: it ends at 2, and the relay says that there was an event 3',
    )
  })

  it('a journal that was rewritten at one place is found by the projection that had applied it', async () => {
    const scope = next()
    await sql`update positions set hash = decode(repeat('ab', 32), 'hex') where project_id = ${scope.projectId}`.execute(
      harness.db,
    )
    const found = await verifyJournal(scope)
    expect(found).toMatchObject({ clean: false })
    expect(JSON.stringify(found)).toContain(
      'event 3: its hash is not the one that generation 1 of pgvector has',
    )
    expect(await verify('pgvector', scope)).toMatchObject({ clean: false, different: 0 })
  })
})

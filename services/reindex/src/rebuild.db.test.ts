import { IN_MEMORY } from '@daybook/in-memory-engine/engine'
import { rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { DATABASES_BESIDE_ENGINES } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReindexService } from './start.ts'
import { OTHER, REBUILT, type ReindexHarness, SMALL, startReindexHarness } from './testing/reindex-harness.ts'

/* A third engine besides: what holds for rebuilds holds for whatever is rebuilt. */
const ALL = [...REBUILT, ...DATABASES_BESIDE_ENGINES.map((one) => ({ ...one, projection: IN_MEMORY }))]

describe.each(ALL)('a rebuild of $projection on $name', ({ start, projection }) => {
  let harness: ReindexHarness
  let service: ReindexService
  beforeAll(async () => {
    harness = await startReindexHarness({ start, projections: [projection] })
    service = harness.startService()
  })
  afterAll(() => harness?.stop())

  const clean = async () => {
    await harness.settled()
    const verified = await harness.run('verify', projection)
    expect(verified).toMatchObject({ status: 'succeeded', result: { clean: true, different: 0 } })
    return verified
  }
  async function filled(memories = 30): Promise<ProjectScope> {
    const scope = await harness.newProject()
    const made = await harness.remember(
      scope,
      ...Array.from({ length: memories }, (_, index) => `the ${index}th note of the harbour`),
    )
    const ids = made.map(({ state }) => state.id)
    await harness.append(
      scope,
      {
        type: 'revise',
        id: ids[0]!,
        input: { content: { kind: 'note', fields: { text: 'another text entirely' } } },
      },
      { type: 'revise', id: ids[1]!, input: { importance: 9 } },
      { type: 'forget', id: ids[2]! },
      { type: 'forget', id: ids[3]! },
      { type: 'restore', id: ids[3]! },
    )
    return scope
  }

  it('makes a new generation that equals the journal, swaps it in, and keeps the old one up to date', async () => {
    const scope = await filled()
    await filled(5)
    await clean()
    const before = await harness.live(projection)
    const ended = await harness.run('reindex', projection)
    expect(ended).toMatchObject({
      status: 'succeeded',
      error: null,
      result: { generation: before + 1, model: SMALL },
    })
    expect(await harness.generations(projection)).toContain(`${before} old, ${before + 1} live`)
    await clean()
    await harness.remember(scope, 'written after the swap')
    await clean()
    await harness.run('reindex', projection)
    await clean()
  })

  it('goes to a model of another dimension with token bits, which all memories get, and back', async () => {
    await filled(20)
    await harness.settled()
    for (const model of [OTHER, SMALL]) {
      const ended = await harness.run('reindex', projection, { model })
      expect(ended).toMatchObject({ status: 'succeeded', error: null, result: { model } })
      const { result } = await clean()
      expect(JSON.stringify(result)).not.toContain('"pending":1')
      const { rows } = await sql<{ whole: boolean | null }>`
        select bool_and((octet_length(e.token_bits) = 40 / 8 * c.tokens) is true) as whole
        from embeddings e join embedding_chunks c using (project_id, model_id, content_hash)
        where model_id = ${model}`.execute(harness.db)
      expect(rows[0]?.whole).toBe(model === OTHER)
    }
  })

  it('is handed on by a process that stops, as often as one likes, and leaves nothing behind', async () => {
    await filled(60)
    await harness.settled()
    const before = await harness.live(projection)
    const { id } = await harness.request('reindex', projection)
    const phases = new Set<string>()
    for (let round = 0; round < 10; round += 1) {
      await pause(30 + round * 25)
      const { rows } = await sql<{ phase: string }>`select phase from operations where id = ${id}`.execute(
        harness.db,
      )
      phases.add(rows[0]?.phase ?? '')
      await service.stop()
      service = harness.startService()
    }
    expect(await harness.ended(id)).toMatchObject({ status: 'succeeded', error: null })
    // A number is never given twice: if a rebuild ended before it noted its generation, that number is
    // skipped.
    expect(await harness.live(projection)).toBeGreaterThan(before)
    const left = (await harness.generations(projection)).split(', ').filter((one) => !/live|old/u.test(one))
    expect(left).toEqual([])
    await clean()
  })

  it('is cancelled, and its generation is gone', async () => {
    await filled(60)
    await harness.settled()
    const before = await harness.generations(projection)
    const { id } = await harness.request('reindex', projection)
    await sql`update operations set cancel_requested = true where id = ${id}`.execute(harness.db)
    expect(await harness.ended(id)).toMatchObject({ status: 'cancelled' })
    expect(await harness.generations(projection)).toBe(before)
  })

  it('makes all vectors again where that is asked for', async () => {
    await filled(10)
    await harness.settled()
    const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(harness.db)
    const ended = await harness.run('reindex', projection, { regenerateEmbeddings: true })
    expect(ended).toMatchObject({ status: 'succeeded', error: null })
    await clean()
    const old = await sql`
      select 1 from embeddings e where model_id = ${SMALL} and embedded_at < ${rows[0]!.now}
        and exists (select from embedding_chunks c where c.project_id = e.project_id and c.model_id = e.model_id
          and c.content_hash = e.content_hash)`.execute(harness.db)
    // Vectors of texts that no memory has any more stay as they are.
    expect(old.rows.length).toBeLessThan(40)
  })

  it('makes the vectors of some kinds again, and those of no other (capability 6)', async () => {
    const scope = await filled(6)
    await harness.append(
      scope,
      rememberCommand({ content: { kind: 'todo', fields: { description: 'water the plants' } } }),
    )
    await harness.settled()
    const made = async () => {
      const { rows } = await sql<{ hash: string; at: string; chunks: number }>`
        select encode(content_hash, 'hex') as hash, embedded_at::text as at, (
          select count(*)::int from embedding_chunks c
          where c.project_id = e.project_id and c.model_id = e.model_id and c.content_hash = e.content_hash) as chunks
        from embeddings e where project_id = ${scope.projectId} and model_id = ${SMALL} order by hash`.execute(
        harness.db,
      )
      return rows
    }
    const before = await made()
    const ended = await harness.run('reindex', projection, {
      kinds: ['todo'],
      projectId: scope.projectId,
      regenerateEmbeddings: true,
    })
    expect(ended).toMatchObject({ status: 'succeeded', error: null, result: { rewritten: 1 } })
    const after = await made()
    expect(after.filter(({ chunks }) => chunks === 0)).toEqual([])
    expect(after.filter(({ at }, i) => at !== before[i]!.at)).toHaveLength(1)
    await harness.settled()
    expect(await harness.run('verify', projection)).toMatchObject({ result: { clean: true } })
  })

  it('parks an event that cannot be read, as the projector does, and loads everything else', async () => {
    const scope = await harness.newProject()
    const [one, other] = await harness.remember(scope, 'readable', 'soon unreadable')
    await harness.append(scope, { type: 'revise', id: other!.state.id, input: { importance: 2 } })
    await harness.settled()
    await sql`reset role`.execute(harness.db).catch(() => {})
    await harness.db.transaction().execute(async (trx) => {
      await sql`set local role none`.execute(trx)
      await sql`update daybook.events set type = 'MemoryUnheardOf' where project_id = ${scope.projectId} and sequence = 3`.execute(
        trx,
      )
      await sql`set local role daybook_app`.execute(trx)
    })
    expect(await harness.run('reindex', projection, { acceptParked: true })).toMatchObject({
      status: 'succeeded',
      error: null,
    })
    const live = await harness.live(projection)
    const parked = await harness.db
      .selectFrom('parked_events')
      .select('sequence')
      .where('projection', '=', projection)
      .where('generation', '=', live)
      .where('project_id', '=', scope.projectId)
      .execute()
    expect(parked).toEqual([{ sequence: 3 }])
    await harness.settled()
    expect(await harness.run('verify', projection)).toMatchObject({ result: { clean: false, different: 0 } })
    expect(one?.state.id).toBeDefined()
    // Readable again, it is retried.
    await harness.db.transaction().execute(async (trx) => {
      await sql`set local role none`.execute(trx)
      await sql`update daybook.events set type = 'MemoryRevised' where project_id = ${scope.projectId} and sequence = 3`.execute(
        trx,
      )
      await sql`set local role daybook_app`.execute(trx)
    })
    expect(await harness.run('retry-parked', projection)).toMatchObject({
      status: 'succeeded',
      result: { retried: 1, failed: 0 },
    })
    await clean()
  })

  it('writes some kinds, or one project, again in place', async () => {
    const scope = await filled(10)
    await harness.settled()
    const before = await harness.generations(projection)
    expect(await harness.run('reindex', projection, { projectId: scope.projectId })).toMatchObject({
      status: 'succeeded',
      result: { rewritten: 10 },
    })
    // No test here remembers one.
    expect(await harness.run('reindex', projection, { kinds: ['stash'] })).toMatchObject({
      status: 'succeeded',
      result: { rewritten: 0 },
    })
    expect(await harness.generations(projection)).toBe(before)
    await clean()
  })

  it('says which other operation is in the way', async () => {
    await filled(10)
    const { id } = await harness.request('reindex', projection)
    await expect(harness.request('verify', projection)).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringContaining(id),
    })
    await harness.ended(id)
  })

  // The last, so that the rebuilds of the others need not load what it wrote.
  it('keeps what is written meanwhile', async () => {
    const scope = await filled(50)
    let writing = true
    let written = 0
    const writer = (async () => {
      // Not for ever: a rebuild must be able to catch up, however slow it is.
      while (writing && written < 200) {
        await harness.remember(scope, `written meanwhile ${(written += 1)}`)
        await pause(5)
      }
    })()
    try {
      expect(await harness.run('reindex', projection)).toMatchObject({ status: 'succeeded', error: null })
    } finally {
      writing = false
      await writer
    }
    expect(written).toBeGreaterThan(0)
    await clean()
  })
})

import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { readEnd } from '@daybook/journal/read/read'
import { newId } from '@daybook/memory/id'
import { leaseOperation, renewLease, saveProgress } from '@daybook/operations/lease'
import type { Work } from '@daybook/operations/run-operations'
import { pgvectorRebuildableProjection } from '@daybook/pgvector/write/pgvector-projection'
import { type Generation, listGenerations } from '@daybook/projection/generations/generations'
import { swapGenerations } from '@daybook/projection/generations/swap-generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { type Builder, createFence, FencedOffError } from '@daybook/projection/rebuild/fence'
import { LOAD_BEGINNING, loadProject } from '@daybook/projection/rebuild/load-project'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { collectionName } from '@daybook/typesense/write/collection'
import { typesenseRebuildableProjection } from '@daybook/typesense/write/rebuildable'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { abandonRebuild, rebuild } from './reindex/rebuild.ts'
import { OTHER, REBUILT, type ReindexHarness, startReindexHarness } from './testing/reindex-harness.ts'

const MODEL = { modelId: OTHER, dimension: 40 }

describe.each(REBUILT)('a rebuild of $projection that was stalled, on $name', ({ start, projection }) => {
  let harness: ReindexHarness
  let rebuildable: RebuildableProjection
  beforeAll(async () => {
    harness = await startReindexHarness({ start })
    const { db, client } = harness
    const embedders = fixedEmbedders([createHashEmbedder({ dimension: 40, tokenBits: true })])
    const workers = createQueueWorkers({ db, embedders, logger: silentLogger })
    const bus = createInProcessBus()
    const applying = { db, bus, signal: createPositionSignal(), logger: silentLogger, workers }
    rebuildable =
      projection === 'pgvector'
        ? pgvectorRebuildableProjection({ ...applying, oneConnection: true, indexWorkers: 0 })
        : typesenseRebuildableProjection({ ...applying, client })
  })
  afterAll(() => harness?.stop())

  /** As far as a first process comes before it is stalled: all is loaded, and nothing is finished. */
  async function stalled() {
    const { db } = harness
    const scope = await harness.newProject()
    await harness.remember(scope, 'one light', 'another light', 'the third light')
    await harness.settled()
    const owner = { name: 'A', leaseMs: 1_800_000 }
    const { id } = await harness.request('reindex', projection, { model: OTHER })
    expect((await leaseOperation(db, owner, [projection]))?.operation.id).toBe(id)
    const builder: Builder = { operationId: id, owner: owner.name, token: newId() }
    const generation = await rebuildable.create(MODEL, builder)
    const checkpoint = { generation: generation.generation, begun: new Date().toISOString(), loading: [] }
    await saveProgress(db, owner, id, { phase: 'loading', checkpoint })
    const fence = createFence(generation, builder)
    await rebuildable.prepare(generation, 3, fence)
    const end = await readEnd(scope)
    const target = rebuildable.loadTarget(generation, { regenerateBefore: null, fence })
    const load = () =>
      loadProject(scope, {
        target,
        head: end,
        from: LOAD_BEGINNING,
        parallel: 1,
        signal: new AbortController().signal,
        onPage: () => Promise.resolve(),
      })
    await load()
    await sql`update operations set leased_until = clock_timestamp() - interval '1 second' where id = ${id}`.execute(
      db,
    )
    const steps: Record<string, () => Promise<unknown>> = {
      'make a generation': () => rebuildable.create(MODEL, builder),
      prepare: () => rebuildable.prepare(generation, 10_000, fence),
      load,
      'end a project': () => target.endProject(scope, { head: end, memories: 1 }),
      'fill vectors': async () => {
        await makeWait(generation)
        await rebuildable.fillVectors(generation, fence)
      },
      'build indexes': () => rebuildable.buildIndexes(generation, fence),
      'move it on': () => db.transaction().execute((trx) => fence.hold(trx)),
      swap: () =>
        swapGenerations(db, generation, { guard: (trx) => fence.hold(trx, ['following', 'live', 'old']) }),
      'clean up': () =>
        abandonRebuild(db, rebuildable, {
          operation: { id } as Parameters<typeof abandonRebuild>[2]['operation'],
          owner: owner.name,
          checkpoint,
        }),
    }
    return { scope, id, owner, generation, steps }
  }

  /** Lets memories of the generation, whatever became of it, wait for the vectors that they have. */
  async function makeWait({ generation }: Generation): Promise<void> {
    if (projection === 'pgvector')
      await sql`
        insert into ${sql.table(`pgvector_${generation}.waiting`)}
        select project_id, memory_id, content_hash from ${sql.table(`pgvector_${generation}.memories`)}`.execute(
        harness.db,
      )
    else
      await sql`
        insert into typesense_pending_vectors (generation, project_id, memory_id, content_hash)
        select ${generation}, m.project_id, m.memory_id, e.content_hash from pgvector_1.memories m
          join embeddings e on e.project_id = m.project_id and e.content_hash = m.content_hash and e.model_id = ${OTHER}
        on conflict do nothing`.execute(harness.db)
  }

  it('is refused at every step once another has taken over and swapped; live data stays as it is', async () => {
    const { db } = harness
    const { id, owner, generation, steps } = await stalled()
    const service = harness.startService()
    expect(await harness.ended(id)).toMatchObject({ status: 'succeeded', error: null })
    const live = await harness.live(projection)
    const before = await harness.run('verify', projection)
    expect(before).toMatchObject({ result: { clean: true } })

    expect(await renewLease(db, owner, id)).toBeNull()
    const refused: Record<string, unknown> = {}
    for (const [name, step] of Object.entries(steps))
      refused[name] = await step().then(
        () => 'done',
        (error: unknown) => error,
      )
    // What has gone live, or is gone, is nothing to clean up.
    const { 'clean up': cleanUp, ...writes } = refused
    expect(cleanUp).toBe('done')
    for (const [name, error] of Object.entries(writes))
      expect([name, error]).toEqual([name, expect.any(FencedOffError)])

    // In an engine with arbitrarily late writes, the process that took over made a new generation.
    expect(live === generation.generation).toBe(!rebuildable.writesLate)
    if (rebuildable.writesLate)
      await expect(
        harness.client.importLines(collectionName(generation.generation), 'upsert', ['{"id":"late"}']),
      ).rejects.toMatchObject({ status: 404 })
    else await rebuildable.fillVectors(generation, null)
    await sql`delete from typesense_pending_vectors where generation = ${generation.generation}`.execute(db)
    expect(await harness.live(projection)).toBe(live)
    expect((await listGenerations(db, projection)).every(({ status }) => status !== 'building')).toBe(true)
    const after = await harness.run('verify', projection)
    expect(after.result).toEqual(before.result)
    await service.stop()
  })

  it('does not delete what another goes on with, if it fails itself', async () => {
    const { db } = harness
    const { id, generation, steps } = await stalled()
    const other = { name: 'B', leaseMs: 1_800_000 }
    expect((await leaseOperation(db, other, [projection]))?.takenOver).toBe(true)
    await expect(steps['clean up']!()).rejects.toThrow(FencedOffError)
    const found = (await listGenerations(db, projection)).find(
      (one) => one.generation === generation.generation,
    )
    expect(found?.status).toBe('building')
    await sql`update operations set status = 'cancelled' where id = ${id}`.execute(db)
  })

  it('killed in its first page, it goes on up to the head that it began with', async () => {
    const { db } = harness
    const scope = await harness.newProject()
    const [first] = await harness.remember(scope, 'a lighthouse', 'a breakwater')
    await harness.settled()
    const { id } = await harness.request('reindex', projection)
    const owner = { name: 'killed', leaseMs: 1_800_000 }
    const { operation } = (await leaseOperation(db, owner, [projection]))!
    const work: Work = {
      operation,
      checkpoint: null,
      owner: owner.name,
      takenOver: false,
      signal: new AbortController().signal,
      async report(progress) {
        // The page is loaded, and nobody has noted it yet.
        if ((progress.done ?? 0) > 0) throw new Error('killed')
        await saveProgress(db, owner, id, progress)
      },
    }
    const parts = {
      db,
      embedders: fixedEmbedders([createHashEmbedder({ dimension: 24 })]),
      logger: silentLogger,
    }
    const options = {
      model: null,
      regenerateEmbeddings: false,
      kinds: null,
      projectId: null,
      acceptParked: false,
    }
    await expect(rebuild(parts, rebuildable, options, work)).rejects.toThrow('killed')
    const input = { content: { kind: 'note', fields: { text: 'a lighthouse that was painted anew' } } }
    await harness.append(scope, { type: 'revise', id: first!.state.id, input })
    await harness.settled()
    await sql`update operations set leased_until = clock_timestamp() - interval '1 second' where id = ${id}`.execute(
      db,
    )
    const service = harness.startService()
    expect(await harness.ended(id)).toMatchObject({ status: 'succeeded', error: null })
    await service.stop()
  })

  it('gives no number twice, so that whoever still means a dropped generation meets no other', async () => {
    const { db } = harness
    const { id } = await harness.request('reindex', projection)
    await leaseOperation(db, { name: 'A', leaseMs: 1_800_000 }, [projection])
    const builder: Builder = { operationId: id, owner: 'A', token: newId() }
    const first = await rebuildable.create(MODEL, builder)
    await rebuildable.drop(first.generation)
    expect((await listGenerations(db, projection)).map((one) => one.generation)).toContain(first.generation)
    await sql`update generations set status = 'dropping' where generation = ${first.generation} and projection = ${projection}`.execute(
      db,
    )
    await rebuildable.drop(first.generation)
    const second = await rebuildable.create(MODEL, builder)
    expect(second.generation).toBe(first.generation + 1)
  })
})

import { type Embedder, EmbedderError } from '@daybook/embeddings/embedder'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { leaseTexts } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content'
import type { LinkedEvent } from '@daybook/memory/events'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { startEngine } from '@daybook/projection/engine/engine'
import type { GenerationApplier } from '@daybook/projection/generations/apply-to-generations'
import { createPositionSignal, waitForPosition } from '@daybook/projection/positions/positions'
import { silentLogger } from '@daybook/runtime/logger'
import { createMetrics, type Metrics } from '@daybook/runtime/metrics'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openPgvector } from './engine.ts'
import { pgvectorStatus } from './read/live-read-model.ts'
import { checkReadModel } from './testing/check-read-model.ts'
import { appendRequest, type ReadModelHarness, startReadModelHarness } from './testing/read-model-harness.ts'

describe.each(TEST_DATABASES)('the pgvector projector on $name', ({ start }) => {
  let harness: ReadModelHarness
  const projectors: GenerationApplier[] = []
  beforeAll(async () => {
    harness = await startReadModelHarness({ start })
  })
  afterEach(async () => {
    await Promise.all(projectors.splice(0).map((projector) => projector.stop()))
    // What a test left in the queue, the next one's projectors would embed.
    await sql`delete from embeddings where embedded_at is null`.execute(harness.db)
  })
  afterAll(() => harness?.stop())

  const bus = createInProcessBus()
  const signal = createPositionSignal()
  async function run(
    embedder: Embedder | null,
    { onEmbedded, metrics }: { onEmbedded?: (texts: number) => void; metrics?: Metrics } = {},
  ) {
    const { db } = harness
    projectors.push(
      await startEngine(openPgvector({ oneConnection: false, indexWorkers: 0 }), {
        db,
        bus,
        signal,
        logger: silentLogger,
        model: harness.embedder,
        workers: createQueueWorkers({
          db,
          embedders: fixedEmbedders(embedder === null ? [] : [embedder], harness.embedder),
          logger: silentLogger,
          onEmbedded,
        }),
        metrics,
      }),
    )
  }
  /** Records every text that is embedded. */
  function counting(beforeEmbed: (texts: readonly string[]) => Promise<void> = async () => {}) {
    const embedded: string[] = []
    const embedder = createHashEmbedder({
      dimension: 64,
      beforeEmbed: async (texts) => {
        await beforeEmbed(texts)
        embedded.push(...texts)
      },
    })
    return { embedder, embedded }
  }
  const applied = (scope: ProjectScope, sequence: number) =>
    waitForPosition(
      async () => (await harness.projection.position(scope)).sequence,
      sequence,
      signal,
      240_000,
    )
  const pending = async (scope: ProjectScope) =>
    (await pgvectorStatus(scope, harness.readModel.generation)).pendingEmbeddings
  const filled = (scope: ProjectScope) =>
    vi.waitUntil(async () => (await pending(scope)) === 0, { interval: 20 })
  const check = (scope: ProjectScope) => checkReadModel(scope, harness.readModel)

  it('makes writes findable by words at once, by meaning when their vectors come', async () => {
    const scope = await harness.newProject()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await run(counting(() => held).embedder)
    await harness.append(scope, rememberCommand(note('held back')), rememberCommand(note('this too')))
    await applied(scope, 2)
    expect(await pending(scope)).toBe(2)
    expect(await check(scope)).toEqual([])
    release()
    await filled(scope)
    expect(await check(scope)).toEqual([])
  })

  it('embeds each distinct text of a project once, whatever has it, and again for another', async () => {
    const { embedder, embedded } = counting()
    await run(embedder)
    const [one, other] = [await harness.newProject(), await harness.newProject()]
    const again = rememberCommand(note('the same text once'))
    await harness.append(one, again, rememberCommand(note('the same text once')))
    await harness.append(other, rememberCommand(note('the same text once')))
    await applied(one, 2)
    await filled(one)
    await harness.append(
      one,
      { type: 'revise', id: again.id, input: note('another text once') },
      { type: 'revise', id: again.id, input: { importance: 1 } },
      { type: 'forget', id: again.id },
      { type: 'restore', id: again.id, version: 1 },
    )
    await applied(one, 6)
    await applied(other, 1)
    await filled(one)
    await filled(other)
    const times = (wanted: string) => embedded.filter((text) => text === wanted).length
    expect(times('the same text once')).toBe(2)
    // A text that the project withdrew before its turn is not embedded at all.
    expect(times('another text once')).toBeLessThanOrEqual(1)
    expect([...(await check(one)), ...(await check(other))]).toEqual([])
  })

  it('has vectors late while the embedder fails, and fills them in when it is back', async () => {
    const scope = await harness.newProject()
    let down = true
    const { embedder, embedded } = counting(async () => {
      if (down) throw new EmbedderError('WORKER_CRASHED', 'the worker is gone')
    })
    await run(embedder)
    await harness.append(scope, rememberCommand(note('late one')), rememberCommand(note('late two')))
    await applied(scope, 2)
    await vi.waitUntil(async () => (await lastErrors()).length >= 2)
    expect(await check(scope)).toEqual([])
    expect(await pending(scope)).toBe(2)
    down = false
    await filled(scope)
    expect(embedded.toSorted()).toEqual(['late one', 'late two'])
    expect(await lastErrors()).toEqual([])
    expect(await check(scope)).toEqual([])
  })

  it('does not let one text that the model refuses hold up the others', async () => {
    const scope = await harness.newProject()
    const { embedder } = counting(async (texts) => {
      if (texts.includes('refused text')) throw new EmbedderError('INFERENCE_FAILED', 'not this one')
    })
    await harness.append(scope, rememberCommand(note('refused text')), rememberCommand(note('accepted text')))
    const metrics = createMetrics({ service: 'test' })
    let embeddedTexts = 0
    await run(embedder, { metrics, onEmbedded: (texts) => void (embeddedTexts += texts) })
    await applied(scope, 2)
    await vi.waitUntil(async () => (await pending(scope)) === 1)
    expect(await lastErrors()).toEqual(['not this one'])
    // Only present vectors are counted, however often the other text is retried.
    expect(embeddedTexts).toBe(1)
    expect(await metrics.text()).toContain(
      'daybook_projection_events_total{projection="pgvector",service="test"} 2',
    )
    expect(await check(scope)).toEqual([])
    await sql`delete from embeddings where embedded_at is null`.execute(harness.db)
  })

  it('takes over the texts of a worker that died, once their lease has run out', async () => {
    const scope = await harness.newProject()
    await harness.append(scope, rememberCommand(note('leased by the dead')))
    await harness.apply(scope)
    const leased = await leaseTexts(harness.db, harness.embedder.modelId, { limit: 64, leaseSeconds: 3_600 })
    expect(leased.map(({ text }) => text)).toEqual(['leased by the dead'])
    expect(await leaseTexts(harness.db, harness.embedder.modelId, { limit: 64 })).toEqual([])
    const { embedder, embedded } = counting()
    await run(embedder)
    await sql`update embeddings set leased_until = now() where embedded_at is null`.execute(harness.db)
    await filled(scope)
    expect(embedded).toEqual(['leased by the dead'])
    expect(await check(scope)).toEqual([])
  })

  it('gives its vector to a memory that was written at the very moment in which the vector was stored', async () => {
    const scope = await harness.newProject()
    const [memory] = await harness.remember(scope, note('stored at that moment'))
    // The state after such a write: it did not see the vector, and the message about it had passed.
    const { tables } = harness.readModel
    await sql`delete from ${tables.vectors} where memory_id = ${memory!.state.id}`.execute(harness.db)
    await sql`
      insert into ${tables.waiting} select project_id, memory_id, content_hash from ${tables.memories}
      where memory_id = ${memory!.state.id}`.execute(harness.db)
    expect(await pending(scope)).toBe(1)
    const { embedder, embedded } = counting()
    await run(embedder)
    await filled(scope)
    expect(embedded).toEqual([])
    expect(await check(scope)).toEqual([])
  })

  it('two at once come to the same, and embed nothing twice', async () => {
    const scope = await harness.newProject()
    const events: LinkedEvent[] = []
    const { embedder, embedded } = counting()
    await run(embedder)
    await run(embedder)
    const texts = Array.from({ length: 200 }, (_, index) => `shared work ${index}`)
    for (let from = 0; from < texts.length; from += 20) {
      const outcomes = await harness.writer.appendMany(
        scope,
        texts.slice(from, from + 20).map((text) => appendRequest(rememberCommand(note(text)))),
      )
      for (const outcome of outcomes)
        if ('appended' in outcome && outcome.appended.event !== null) events.push(outcome.appended.event)
      bus.publish(scope.projectId, events.slice(from).toReversed())
    }
    await applied(scope, 200)
    await filled(scope)
    expect(embedded.toSorted()).toEqual(texts.toSorted())
    expect(await check(scope)).toEqual([])
  })

  it('without an embedder, or with one of another model, writes words and leaves texts queued', async () => {
    for (const embedder of [null, createHashEmbedder({ dimension: 32 })]) {
      const scope = await harness.newProject()
      await run(embedder)
      await harness.append(scope, rememberCommand(note(`queued with ${embedder?.modelId}`)))
      await applied(scope, 1)
      expect(await pending(scope)).toBe(1)
      expect(await check(scope)).toEqual([])
      const row = await harness.db
        .selectFrom('embeddings')
        .select(['text', 'embedded_at'])
        .where('project_id', '=', scope.projectId)
        .where('content_hash', '=', contentHash(`queued with ${embedder?.modelId}`))
        .executeTakeFirst()
      expect(row).toEqual({ text: `queued with ${embedder?.modelId}`, embedded_at: null })
    }
  })

  async function lastErrors(): Promise<string[]> {
    const rows = await harness.db
      .selectFrom('embeddings')
      .select('last_error')
      .where('last_error', 'is not', null)
      .execute()
    return rows.flatMap((row) => row.last_error ?? [])
  }
})

import type { Embedder } from '@daybook/embeddings/embedder'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import type { Command } from '@daybook/memory/commands'
import type { LinkedEvent } from '@daybook/memory/events'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { startEngine } from '@daybook/projection/engine/engine'
import type { GenerationApplier } from '@daybook/projection/generations/apply-to-generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openTypesense } from './engine.ts'
import { typesenseStatus } from './read/report.ts'
import { PLACES, startTypesenseHarness, type TypesenseHarness } from './testing/typesense-harness.ts'

describe.each(PLACES)('the Typesense projector on $name', ({ database, server }) => {
  let harness: TypesenseHarness
  const projectors: GenerationApplier[] = []
  beforeAll(async () => {
    harness = await startTypesenseHarness(database, server)
  })
  afterEach(async () => {
    await Promise.all(projectors.splice(0).map((projector) => projector.stop()))
  })
  afterAll(() => harness?.stop())

  const bus = createInProcessBus()
  const signal = createPositionSignal()
  async function run(embedder: Embedder | null) {
    const { db, typesense, base } = harness
    projectors.push(
      await startEngine(
        openTypesense({ url: typesense.url, apiKey: typesense.apiKey, timeoutMs: 500, base, leaseMs: 3_000 }),
        {
          db,
          bus,
          signal,
          logger: silentLogger,
          model: harness.embedder,
          workers: createQueueWorkers({
            db,
            embedders: fixedEmbedders(embedder === null ? [] : [embedder], harness.embedder),
            logger: silentLogger,
          }),
          pollMs: 100,
        },
      ),
    )
  }
  /** Records every text that is embedded. */
  function counting() {
    const embedded: string[] = []
    const embedder = createHashEmbedder({
      dimension: 16,
      maxTokens: 32,
      beforeEmbed: async (texts) => {
        embedded.push(...texts)
      },
    })
    return { embedder, embedded }
  }
  const status = (scope: ProjectScope) => typesenseStatus(scope, harness.generation)
  const settled = (scope: ProjectScope) =>
    vi.waitUntil(
      async () => {
        const { lag, pendingEmbeddings } = await status(scope)
        return lag === 0 && pendingEmbeddings === 0
      },
      { interval: 20 },
    )
  const check = (scope: ProjectScope) => harness.check(scope)

  it('writes what is written, words and vectors', async () => {
    const scope = await harness.newProject()
    await run(counting().embedder)
    await harness.append(scope, rememberCommand(note('one text')), rememberCommand(note('another text')))
    await settled(scope)
    expect(await check(scope)).toEqual([])
  })

  it('without an embedder writes words, and takes over the vectors that others store', async () => {
    const scope = await harness.newProject()
    await run(null)
    await harness.append(scope, rememberCommand(note('embedded elsewhere')))
    await vi.waitUntil(async () => (await status(scope)).lag === 0)
    expect(await status(scope)).toMatchObject({ pendingEmbeddings: 1 })
    await harness.embed()
    await settled(scope)
    expect(await check(scope)).toEqual([])
  })

  it('two at once come to the same, and embed nothing twice', async () => {
    const scope = await harness.newProject()
    const { embedder, embedded } = counting()
    await run(embedder)
    await run(embedder)
    const texts = Array.from({ length: 200 }, (_, index) => `shared work ${index}`)
    const commands = texts.map((text) => rememberCommand(note(text)))
    const events: LinkedEvent[] = []
    for (let from = 0; from < texts.length; from += 20) {
      const outcomes = await harness.writer.appendMany(
        scope,
        commands.slice(from, from + 20).map((command) => ({
          command,
          metadata: { actor: null, correlationId: null, causationId: null },
        })),
      )
      for (const outcome of outcomes)
        if ('appended' in outcome && outcome.appended.event !== null) events.push(outcome.appended.event)
      await bus.publish(scope.projectId, events.slice(from).toReversed())
      const revised = commands[from]?.id ?? ''
      await harness.append(scope, { type: 'revise', id: revised, input: { importance: 1 } })
    }
    await settled(scope)
    expect(embedded.toSorted()).toEqual(texts.toSorted())
    expect(await check(scope)).toEqual([])
  })

  if (server.name === 'the double')
    it('starts while Typesense is unavailable, and writes when it comes', async () => {
      const { faults } = harness.typesense
      const scope = await harness.newProject()
      await faults?.refuse()
      await run(counting().embedder)
      await harness.append(scope, rememberCommand(note('while it was unavailable')))
      expect(await status(scope)).toMatchObject({ position: 0, lag: 1, parked: 0 })
      await faults?.accept()
      await settled(scope)
      expect(await check(scope)).toEqual([])
    })

  if (server.name === 'the double')
    it('goes on after Typesense died, came back, and lost everything', async () => {
      const { faults } = harness.typesense
      const scope = await harness.newProject()
      const quiet = await harness.newProject()
      await run(counting().embedder)
      await run(counting().embedder)
      await harness.append(quiet, rememberCommand(note('written before, and never again')))
      await settled(quiet)
      for (let round = 0; round < 3; round += 1) {
        await harness.append(scope, rememberCommand(note(`before it died ${round}`)))
        await faults?.refuse()
        await harness.append(scope, rememberCommand(note(`while it was dead ${round}`)))
        if (round === 2) faults?.loseEverything()
        await faults?.accept()
        await settled(scope)
      }
      await vi.waitUntil(async () => (await check(quiet)).length === 0, { interval: 200 })
      await settled(quiet)
      expect(await check(scope)).toEqual([])
      expect(await status(scope)).toMatchObject({ parked: 0 })
    })

  if (server.name === 'the double')
    it('two come to what the journal says through failures in any order', async () => {
      const { faults } = harness.typesense
      const seed = Math.floor(Math.random() * 2 ** 31)
      const random = fc.sample(fc.nat(2 ** 31 - 1), { seed, numRuns: 400 })
      const choose = <T>(from: readonly T[]): T => from[(random.pop() ?? 0) % from.length] as T
      const scopes = [await harness.newProject(), await harness.newProject(), await harness.newProject()]
      const written = new Map(scopes.map((scope) => [scope, [] as string[]]))
      await run(counting().embedder)
      await run(counting().embedder)
      const failures: (() => Promise<void> | void | undefined)[] = [
        () => faults?.refuse(),
        () => faults?.notReady(true),
        () => faults?.slow(200),
        () => faults?.slow(700),
        () => faults?.failLines(({ version }) => (version === 2 ? 'Nothing with a 2 today.' : null)),
        async () => {
          // If a server keeps no metadata, collections are told apart by the second of their creation.
          await pause(1_100)
          faults?.loseEverything()
        },
      ]
      const mend = async () => {
        faults?.notReady(false)
        faults?.slow(0)
        faults?.failLines(null)
        await faults?.accept()
      }
      const write = async () => {
        const scope = choose(scopes)
        const ids = written.get(scope) ?? []
        const id = choose(ids.length === 0 ? [''] : ids)
        const remembered = rememberCommand(
          note(`text ${choose(random)} ${'and more '.repeat(choose([0, 0, 0, 40]))}`),
        )
        const command: Command =
          id === '' || choose([true, false])
            ? remembered
            : choose<Command>([
                { type: 'revise', id, input: note(`another text ${choose(random)}`) },
                { type: 'revise', id, input: { importance: 1 } },
                { type: 'forget', id },
                { type: 'restore', id },
              ])
        await harness.append(scope, command).catch(() => {})
        if (command === remembered) ids.push(remembered.id)
      }
      try {
        for (let round = 0; round < 12; round += 1) {
          const lasting = choose(failures)
          await lasting()
          for (let writes = choose([1, 5, 12]); writes > 0; writes -= 1) await write()
          await pause(choose([0, 50, 300]))
          if (choose([true, true, false])) await mend()
        }
        await mend()
        for (const scope of scopes) {
          await vi.waitUntil(async () => (await status(scope)).lag === 0, { interval: 50 })
          // A server that has just lost everything has no collection to check until the projector sees that.
          await vi.waitFor(async () => expect(await check(scope)).toEqual([]), {
            interval: 100,
          })
          await settled(scope)
        }
      } catch (error) {
        throw new Error(`with the seed ${seed}`, { cause: error })
      }
    })
})

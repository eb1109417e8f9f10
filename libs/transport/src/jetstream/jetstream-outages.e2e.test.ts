import { newId } from '@daybook/memory/id'
import { createLogger, silentLogger } from '@daybook/runtime/logger'
import { needing } from '@daybook/runtime/testing/needing'
import { withTimeout } from '@daybook/runtime/timers'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { Bus } from '../bus.ts'
import { noteEvent } from '../testing/events.ts'
import { type NativeNats, OWN_NATS, startNativeNats } from '../testing/native-nats.ts'
import { ownStream } from '../testing/test-nats.ts'
import { type JetStreamBusOptions, openJetStreamBus } from './jetstream-bus.ts'

needing(OWN_NATS).describe('JetStream whose server is treated badly', () => {
  let nats: NativeNats
  const buses: Bus[] = []
  /** Counts through all tests, so that new events can be told from old ones. */
  let lastSequence = 1_000
  beforeAll(async () => {
    nats = await startNativeNats()
  })
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()))
    // Killed first, because it may be up or down, and starting it twice would fail on the port.
    await nats.kill()
    nats.wipe()
    await nats.start()
  })
  afterAll(() => nats?.stop())

  async function open(more: Partial<JetStreamBusOptions> = {}): Promise<Bus> {
    const bus = await openJetStreamBus({
      url: nats.url,
      logger: process.env.DBG ? createLogger('dbg', 'debug') : silentLogger,
      ackTimeoutMs: 1_000,
      ...more,
    })
    buses.push(bus)
    return bus
  }

  /** A member of a group and a listener, and what they heard. */
  function hearing(bus: Bus, group = 'group') {
    const consumed = new Set<number>()
    const heard = new Set<number>()
    bus.consume(group, async ({ sequence }) => void consumed.add(sequence))
    bus.subscribe(({ sequence }) => void heard.add(sequence))
    return { consumed, heard }
  }

  /** Publishes new events until all have heard one: then both directions work again. */
  async function untilHeard(bus: Bus, ...sets: ReadonlySet<number>[]): Promise<void> {
    const project = newId()
    const before = sets.map(({ size }) => size)
    await vi.waitUntil(
      async () => {
        lastSequence += 1
        await bus.publish(project, [noteEvent(project, lastSequence)]).catch(() => {})
        return sets.every(({ size }, index) => size > (before[index] ?? 0))
      },
      { interval: 20 },
    )
  }

  it('goes on when it was killed and its store wiped: the stream and the group are made again', async () => {
    const stream = ownStream()
    const bus = await open({ stream })
    const { consumed, heard } = hearing(bus)
    await untilHeard(bus, consumed, heard)
    await nats.kill()
    nats.wipe()
    await nats.start()
    await untilHeard(bus, consumed, heard)
    const connection = await connect({ servers: nats.url })
    const { config } = await (await jetstreamManager(connection)).streams.info(stream.name)
    await connection.close()
    expect(config).toMatchObject({ max_bytes: stream.maxBytes, num_replicas: 1, storage: 'file' })
  })

  it('goes on when the stream is deleted while the server runs', async () => {
    const stream = ownStream()
    const bus = await open({ stream })
    const { consumed, heard } = hearing(bus)
    await untilHeard(bus, consumed, heard)
    const connection = await connect({ servers: nats.url })
    const manager = await jetstreamManager(connection)
    await manager.streams.delete(stream.name)
    await untilHeard(bus, consumed, heard)
    await manager.consumers.delete(stream.name, 'group')
    await untilHeard(bus, consumed, heard)
    expect((await manager.consumers.info(stream.name, 'group')).config.max_deliver).toBe(-1)
    await connection.close()
  })

  it('refuses a publish while the server is down, at once, and takes it afterwards', async () => {
    const bus = await open({ stream: ownStream(), ackTimeoutMs: 600_000 })
    const { consumed, heard } = hearing(bus)
    await untilHeard(bus, consumed, heard)
    await nats.kill()
    const project = newId()
    await expect(bus.publish(project, [noteEvent(project, 1)])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await nats.start()
    await untilHeard(bus, consumed, heard)
  })

  it('says whether it can take events now: while the server is down, and when it is back without its store', async () => {
    const bus = await open({ stream: ownStream() })
    await vi.waitUntil(async () => (await bus.status()).problem === null)
    expect(await bus.status()).toMatchObject({
      transport: 'nats',
      version: expect.stringMatching(/^\d+\.\d+/u),
      roundTripMs: expect.any(Number),
    })
    await nats.kill()
    await vi.waitUntil(async () => (await bus.status()).problem?.includes('cannot be reached'))
    expect(await bus.status()).toMatchObject({ transport: 'nats', version: null, roundTripMs: null })
    nats.wipe()
    await nats.start()
    await vi.waitUntil(async () => (await bus.status()).problem === null)
  })

  it('brings a group what was published while all its members were away', async () => {
    const stream = ownStream()
    const publisher = await open({ stream })
    const first = await open({ stream })
    const before = hearing(first)
    await untilHeard(publisher, before.consumed)
    await first.close()
    const project = newId()
    await publisher.publish(project, [noteEvent(project, 1), noteEvent(project, 2)])
    const after = hearing(await open({ stream }))
    await vi.waitUntil(() => after.consumed.has(1) && after.consumed.has(2))
    expect(after.heard).toEqual(new Set())
  })

  it('opens without a server, serves what it can, and begins when there is one', async () => {
    await nats.kill()
    const lines: unknown[] = []
    const logger = createLogger('test', 'silent')
    logger.warn = (...line: unknown[]) => void lines.push(line)
    const secret = nats.url.replace('nats://', 'nats://daybook:s3cret@')
    const bus = await open({ url: secret, stream: ownStream(), logger, connectWaitMs: 50 })
    const { consumed, heard } = hearing(bus)
    const project = newId()
    await expect(bus.publish(project, [noteEvent(project, 1)])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await nats.start()
    await untilHeard(bus, consumed, heard)
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain('s3cret')
  })

  it('closes while it has never reached a server', async () => {
    await nats.kill()
    const bus = await open({ stream: ownStream(), connectWaitMs: 20 })
    bus.subscribe(() => {})
    bus.consume('group', async () => {})
    await expect(bus.close()).resolves.toBeUndefined()
  })

  it('closes while the server hangs, without waiting for it', async () => {
    const bus = await open({ stream: ownStream() })
    const { consumed, heard } = hearing(bus)
    await untilHeard(bus, consumed, heard)
    const thaw = await nats.freeze()
    try {
      await expect(withTimeout(10_000, bus.close())).resolves.toBeUndefined()
    } finally {
      thaw()
    }
  })
})

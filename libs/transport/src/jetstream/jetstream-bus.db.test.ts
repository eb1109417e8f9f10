import { ERASED_EVENT } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import { silentLogger } from '@daybook/runtime/logger'
import { needing } from '@daybook/runtime/testing/needing'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { describeBus } from '../bus.contract.ts'
import type { Bus, BusMessage } from '../bus.ts'
import { noteEvent, noteEvents } from '../testing/events.ts'
import { NATS, ownStream, testNatsUrl } from '../testing/test-nats.ts'
import { type JetStreamBusOptions, openJetStreamBus } from './jetstream-bus.ts'
import { parseServerAddress } from './server-address.ts'
import type { StreamSettings } from './stream.ts'

const url = testNatsUrl()

needing(NATS).describe('on a NATS server', () => {
  let connection: NatsConnection
  let manager: JetStreamManager
  let stream: StreamSettings
  const streams: string[] = []
  const buses: Bus[] = []
  const newStream = () => {
    stream = ownStream()
    streams.push(stream.name)
    return stream
  }
  beforeAll(async () => {
    connection = await connect(parseServerAddress(url).options)
    manager = await jetstreamManager(connection)
  })
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()))
  })
  afterAll(async () => {
    await Promise.all(streams.map((name) => manager.streams.delete(name).catch(() => {})))
    await connection.close()
  })

  async function open(more: Partial<JetStreamBusOptions> = {}): Promise<Bus> {
    const bus = await openJetStreamBus({ url, stream, logger: silentLogger, ...more })
    buses.push(bus)
    return bus
  }

  describeBus({
    name: 'JetStream',
    open: () => openJetStreamBus({ url, stream: newStream(), logger: silentLogger }),
  })

  /** Joins a group and waits until it is there. */
  async function join(bus: Bus, group: string, handle: (news: BusMessage) => Promise<void>) {
    const consumer = bus.consume(group, handle)
    await vi.waitUntil(() => manager.consumers.info(stream.name, group).catch(() => false))
    return consumer
  }
  const unsettled = async (group: string) => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(stream.name, group)
    return num_pending + num_ack_pending
  }

  it('makes the stream as it is set, and brings one that is there to other settings', async () => {
    const settings = newStream()
    const project = newId()
    await (await open()).publish(project, [noteEvent(project, 1)])
    expect((await manager.streams.info(settings.name)).config).toMatchObject({
      subjects: [`${settings.subjectPrefix}.>`],
      storage: 'file',
      max_age: nanos(7 * 24 * 60 * 60 * 1_000),
      duplicate_window: nanos(120_000),
    })
    const changed = { ...settings, maxAgeMs: 3_600_000, duplicateWindowMs: 1_000 }
    await (await open({ stream: changed })).publish(project, [noteEvent(project, 2)])
    const { config, state } = await manager.streams.info(settings.name)
    expect(config).toMatchObject({ max_age: nanos(3_600_000), duplicate_window: nanos(1_000) })
    expect(state.messages).toBe(2)
  })

  it('works on with the stream as it is where the server refuses the settings', async () => {
    newStream()
    const project = newId()
    await (await open()).publish(project, [noteEvent(project, 1)])
    await (await open({ stream: { ...stream, replicas: 3 } })).publish(project, [noteEvent(project, 2)])
    expect((await manager.streams.info(stream.name)).state.messages).toBe(2)
  })

  it('stores an event once, however often it is published within the window', async () => {
    newStream()
    const bus = await open()
    const project = newId()
    const events = noteEvents(project, 1, 5)
    await bus.publish(project, events)
    await bus.publish(project, events)
    expect((await manager.streams.info(stream.name)).state.messages).toBe(5)
  })

  it('loses what it has of a memory as soon as its erasure is published, and keeps the others', async () => {
    newStream()
    const bus = await open()
    const project = newId()
    const [gone, other] = noteEvents(project, 1, 2)
    if (gone === undefined || other === undefined) throw new Error('no events')
    await bus.publish(project, [gone, other])
    const { data: _, ...envelope } = gone
    const erasure = {
      ...envelope,
      type: ERASED_EVENT,
      eventId: newId(),
      sequence: 3,
      previousHash: other.hash,
    }
    await bus.publish(project, [erasure])
    // A relay that died before it noted that publishes it again.
    await bus.publish(project, [erasure])
    const { state } = await manager.streams.info(stream.name, { subjects_filter: '>' })
    expect(Object.keys(state.subjects ?? {}).toSorted()).toEqual(
      [
        `${stream.subjectPrefix}.${project}.note.${other.memoryId}`,
        `${stream.subjectPrefix}.${project}.unknown.${gone.memoryId}`,
      ].toSorted(),
    )
  })

  it('loses all messages of a deleted project, and no other', async () => {
    newStream()
    const bus = await open()
    const [gone, other] = [newId(), newId()]
    await bus.publish(gone, noteEvents(gone, 1, 200))
    await bus.publish(other, noteEvents(other, 1, 3))
    await bus.publish(gone, noteEvents(gone, 201, 100))
    await bus.forget(gone)
    const { state } = await manager.streams.info(stream.name, { subjects_filter: '>' })
    expect(state.messages).toBe(3)
    expect(Object.keys(state.subjects ?? {}).every((subject) => subject.includes(other))).toBe(true)
    await expect(
      (await open({ url: 'nats://127.0.0.1:1', connectWaitMs: 10 })).forget(other),
    ).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })

  it('names project, kind and memory in the subject, and CloudEvents in the header', async () => {
    newStream()
    const bus = await open()
    const event = noteEvent(newId(), 1)
    await bus.publish(event.projectId, [event])
    const message = await manager.streams.getMessage(stream.name, { seq: 1 })
    expect(message?.subject).toBe(`${stream.subjectPrefix}.${event.projectId}.note.${event.memoryId}`)
    expect(message?.header.get('content-type')).toBe('application/cloudevents+json')
    expect(message?.header.get('Nats-Msg-Id')).toBe(event.eventId)
  })

  it('sends an event that is larger than a message without its data: news that the journal goes on', async () => {
    newStream()
    const bus = await open()
    const project = newId()
    const heard: BusMessage[] = []
    await join(bus, 'group', async (news) => void heard.push(news))
    const most = connection.info?.max_payload ?? 0
    await bus.publish(project, [
      noteEvent(project, 1),
      noteEvent(project, 2, 'x'.repeat(most)),
      noteEvent(project, 3),
    ])
    await vi.waitUntil(() => heard.length === 3)
    expect(heard.map(({ sequence, events }) => [sequence, events.length])).toEqual([
      [1, 1],
      [2, 0],
      [3, 1],
    ])
  })

  it('brings news again that were given back, to any member', async () => {
    newStream()
    const bus = await open()
    const project = newId()
    const tries: number[] = []
    await join(bus, 'group', async ({ sequence }) => {
      tries.push(sequence)
      if (tries.length < 3) throw new Error('not now')
    })
    await bus.publish(project, [noteEvent(project, 1)])
    await vi.waitUntil(() => tries.length === 3)
    await vi.waitUntil(async () => (await unsettled('group')) === 0)
    expect(tries).toEqual([1, 1, 1])
  })

  it('brings the news of a member that stops in the middle of them to another', async () => {
    newStream()
    const [one, other] = [await open(), await open()]
    const project = newId()
    const stuck: number[] = []
    const stopping = await join(one, 'group', ({ sequence }) => {
      stuck.push(sequence)
      return new Promise(() => {})
    })
    await one.publish(project, noteEvents(project, 1, 20))
    await vi.waitUntil(() => stuck.length === 20)
    const done = new Set<number>()
    other.consume('group', async ({ sequence }) => void done.add(sequence))
    await stopping.stop()
    await vi.waitUntil(() => done.size === 20)
    expect(done.size).toBe(20)
  })

  it('brings the news of a member that died to another, after a while', async () => {
    newStream()
    const project = newId()
    const taken: number[] = []
    // A client that pulls and then falls silent.
    const other = await open({ ackWaitMs: 1_000 })
    const consumer = await join(other, 'group', async () => {})
    await consumer.stop()
    await other.publish(project, noteEvents(project, 1, 3))
    const dead = await manager.jetstream().consumers.get(stream.name, 'group')
    for await (const message of await dead.fetch({ max_messages: 3, expires: 60_000 }))
      taken.push(message.seq)
    expect(taken).toEqual([1, 2, 3])
    const done = new Set<number>()
    other.consume('group', async ({ sequence }) => void done.add(sequence))
    await vi.waitUntil(() => done.size === 3)
    // The acknowledgement is sent after the handler is done.
    await expect.poll(() => unsettled('group')).toBe(0)
  })

  it('keeps news that take long, and does not give them to another', async () => {
    newStream()
    // The server's patience, of which a sign of work takes a third: the rest is for a busy machine.
    const bus = await open({ ackWaitMs: 9_000 })
    const project = newId()
    const signs: string[] = []
    const acknowledgements = connection.subscribe('$JS.ACK.>', {
      callback(_, message) {
        if (message.subject.includes(`.${stream.name}.group.`)) signs.push(message.string())
      },
    })
    let goOn = () => {}
    const tries: number[] = []
    await join(bus, 'group', ({ sequence }) => {
      tries.push(sequence)
      return new Promise((resolve) => (goOn = () => resolve()))
    })
    await bus.publish(project, [noteEvent(project, 1)])
    await vi.waitUntil(() => tries.length === 1)
    await vi.waitUntil(() => signs.length > 0)
    goOn()
    await vi.waitUntil(async () => (await unsettled('group')) === 0)
    acknowledgements.unsubscribe()
    expect(signs[0]).toBe('+WPI')
    expect(tries).toEqual([1])
  })

  it('sorts out messages that it does not understand, and goes on', async () => {
    newStream()
    const warn = vi.fn<() => void>()
    const bus = await open({ logger: Object.assign(Object.create(silentLogger), { warn }) })
    const project = newId()
    const heard: [number, number][] = []
    await join(bus, 'group', async ({ sequence, events }) => void heard.push([sequence, events.length]))
    const attributes = { specversion: '1.0', id: newId(), project, schemaversion: 1, memoryversion: 1 }
    const bad = [
      'not JSON',
      '[]',
      JSON.stringify({ ...attributes, sequence: 7 }),
      JSON.stringify({ ...attributes, sequence: '8', type: 'daybook.SomethingNewer', data: {} }),
      JSON.stringify({
        ...attributes,
        sequence: '9',
        type: 'daybook.MemoryRemembered',
        schemaversion: 99,
        data: {},
      }),
    ]
    const subject = `${stream.subjectPrefix}.${project}.note.x`
    for (const message of bad) await manager.jetstream().publish(subject, message)
    await bus.publish(project, [noteEvent(project, 10)])
    await vi.waitUntil(() => heard.length === 3)
    expect(heard).toEqual([
      [8, 0],
      [9, 0],
      [10, 1],
    ])
    await vi.waitUntil(async () => (await unsettled('group')) === 0)
    expect(warn).toHaveBeenCalledTimes(5)
  })

  it('shares a thousand news among members, each once', async () => {
    newStream()
    const members = [await open(), await open()]
    const done: number[][] = [[], []]
    await Promise.all(
      members.map((bus, index) =>
        join(bus, 'group', async ({ sequence }) => void done[index]?.push(sequence)),
      ),
    )
    const project = newId()
    await members[0]?.publish(project, noteEvents(project, 1, 1_000))
    await vi.waitUntil(() => done.flat().length >= 1_000)
    expect(done.flat().toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index + 1),
    )
  })
})

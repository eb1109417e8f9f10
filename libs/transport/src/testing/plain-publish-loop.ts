import type { LinkedEvent } from '@daybook/memory/events'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, headers } from '@nats-io/transport-node'
import { CLOUD_EVENT_TYPE, encodePlace, subjectOf } from '../jetstream/cloud-event.ts'
import { adjustable } from '../jetstream/stream.ts'
import { ownStream } from './test-nats.ts'

/** As many messages in flight as the bus allows (`send.ts`). */
const IN_FLIGHT = 256

/**
 * The baseline for a benchmark of the relay: publishes the same messages, made beforehand, to a stream of the
 * same kind, and waits for every acknowledgement.
 * @returns the seconds it took, without making the messages and the stream
 */
export async function publishPlainly(url: string, events: readonly LinkedEvent[]): Promise<number> {
  const stream = ownStream()
  const connection = await connect({ servers: url, noAsyncTraces: true })
  try {
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: stream.name, ...adjustable(stream) })
    const client = jetstream(connection)
    const messages = events.map((event) => {
      const made = headers()
      made.set('content-type', CLOUD_EVENT_TYPE)
      const payload = encodePlace(event, Number.MAX_SAFE_INTEGER)
      return { subject: subjectOf(stream.subjectPrefix, event), payload, headers: made, msgID: event.eventId }
    })
    const acknowledgements: Promise<unknown>[] = []
    const started = performance.now()
    for (const { subject, payload, ...options } of messages) {
      if (acknowledgements.length >= IN_FLIGHT) await acknowledgements[acknowledgements.length - IN_FLIGHT]
      acknowledgements.push(client.publish(subject, payload, options))
    }
    await Promise.all(acknowledgements)
    const spent = (performance.now() - started) / 1_000
    await manager.streams.delete(stream.name)
    return spent
  } finally {
    await connection.close()
  }
}

import { ERASED_EVENT } from '@daybook/memory/events'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { JetStreamApiError } from '@nats-io/jetstream'
import type { PublishedEntry } from '../bus.ts'
import type { Session } from './link.ts'
import type { StreamSettings } from './stream.ts'

/*
 * A purge removes messages from the stream, but their bytes stay in JetStream's files until it writes the file again.
 * Deleting a single message writes over its bytes. So each is deleted, which takes some 1.5 ms. Looking for the last
 * message of a subject takes 1 ms; with a wildcard, as for a purge, it would take 40 ms among 40,000 messages.
 */

/** Messages of a project whose deletion is under way at the same time. */
const AT_ONCE = 64

type Stream = Pick<StreamSettings, 'name' | 'subjectPrefix'>

/**
 * Removes what the stream holds of memories whose erasure has just been published, but for messages without content,
 * such as the one about it. Whoever has not received the others reads the journal, as always.
 */
export async function purgeErased(
  session: Session,
  places: readonly PublishedEntry[],
  { name, subjectPrefix }: Stream,
): Promise<void> {
  for (const { projectId, memoryId, type } of places)
    if (type === ERASED_EVENT)
      await Promise.all(
        // An erasure does not know its memory's kind.
        KIND_NAMES.map((kind) =>
          removeAllOf(session, name, `${subjectPrefix}.${projectId}.${kind.toLowerCase()}.${memoryId}`),
        ),
      )
}

/** Removes the messages of one subject. */
async function removeAllOf(session: Session, stream: string, subject: string): Promise<void> {
  for (;;) {
    const last = await session.manager.streams.getMessage(stream, { last_by_subj: subject })
    if (last === null) return
    await overwrite(session, stream, last.seq)
  }
}

/** Removes all that the stream holds of a deleted project. */
export async function purgeProject(
  session: Session,
  projectId: string,
  { name, subjectPrefix }: Stream,
  signal?: AbortSignal,
): Promise<void> {
  let deleting: Promise<void>[] = []
  for await (const sequence of sequencesOf(session, name, `${subjectPrefix}.${projectId}.>`)) {
    deleting.push(overwrite(session, name, sequence))
    if (deleting.length < AT_ONCE) continue
    await Promise.all(deleting)
    signal?.throwIfAborted()
    deleting = []
  }
  await Promise.all(deleting)
}

/** The stream's sequences of the messages whose subject matches, in order. */
async function* sequencesOf({ manager }: Session, stream: string, subject: string): AsyncGenerator<number> {
  for (let from = 1; ; ) {
    // The server's API has it since 2.9; the client's types do not.
    const next = { seq: from, next_by_subj: subject }
    const message = await manager.streams.getMessage(stream, next)
    if (message === null) return
    yield message.seq
    from = message.seq + 1
  }
}

/** Deletes a message and writes over its bytes. It may be gone already. */
async function overwrite({ manager }: Session, stream: string, sequence: number): Promise<void> {
  try {
    await manager.streams.deleteMessage(stream, sequence, true)
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error
    if ((await manager.streams.getMessage(stream, { seq: sequence })) !== null) throw error
  }
}

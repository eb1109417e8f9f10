import { ERASED_EVENT } from '@daybook/memory/events'
import type { PublishedEntry } from '../bus.ts'
import type { Session } from './link.ts'
import type { StreamSettings } from './stream-settings.ts'

/**
 * Removes what the stream holds of memories whose erasure has just been published, but the message about it, which is
 * the last. Whoever has not received the others reads the journal, as always.
 */
export async function purgeErased(
  { manager }: Session,
  places: readonly PublishedEntry[],
  { name, subjectPrefix }: Pick<StreamSettings, 'name' | 'subjectPrefix'>,
): Promise<void> {
  await Promise.all(
    places
      .filter(({ type }) => type === ERASED_EVENT)
      .map(({ projectId, memoryId }) =>
        // Whatever its kind was.
        manager.streams.purge(name, { filter: `${subjectPrefix}.${projectId}.*.${memoryId}`, keep: 1 }),
      ),
  )
}

/** Removes all that the stream holds of a deleted project. */
export async function purgeProject(
  { manager }: Session,
  projectId: string,
  { name, subjectPrefix }: Pick<StreamSettings, 'name' | 'subjectPrefix'>,
): Promise<void> {
  await manager.streams.purge(name, { filter: `${subjectPrefix}.${projectId}.>` })
}

import { DaybookClientError } from '@daybook/client/client-error'
import { follow } from './client.ts'
import type { JournalEvent } from './events.ts'

/**
 * Calls back for each event of the project's journal from now on, until the signal is aborted; with null where the end of
 * the journal was replaced by another. In a project that follows another Daybook that is usual: what was written offline
 * is made again each time that events of its home arrive.
 * @throws DaybookClientError for what else does not pass
 */
export async function listen(
  signal: AbortSignal,
  onEvent: (event: JournalEvent | null) => void,
): Promise<void> {
  while (!signal.aborted)
    try {
      for await (const event of follow({ signal })) onEvent(event)
    } catch (error) {
      if (signal.aborted || !isReplaced(error)) throw error
      onEvent(null)
    }
}

/** Whether the journal does not have the events any more that were followed. */
export const isReplaced = (error: unknown): boolean =>
  error instanceof DaybookClientError && error.code === 'DIVERGED'

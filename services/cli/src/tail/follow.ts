import type { Given, GraphQLDocument } from '@daybook/api/graphql'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { RefusedError } from '../cli-error.ts'
import { mayComeBack } from '../client/may-come-back.ts'
import { readHead } from '../client/projections.ts'
import { subscribe } from '../client/subscribe.ts'
import type { Connection } from '../settings.ts'
import type { TailVariables } from './tail-documents.ts'

interface Following<Event> {
  readonly connection: Connection
  readonly document: GraphQLDocument<{ events: Event }, TailVariables>
  readonly filter: Given<TailVariables>['filter']
  /** Null means from now on. */
  readonly after: number | null
  readonly onEvent: (event: Event) => void
  /** Called with messages for the person who watches. */
  readonly onNotice: (message: string) => void
  readonly signal: AbortSignal
}

/**
 * Follows the journal across restarts of the daemon, without a gap or a repeat:
 *
 *   asking for the head ──▶ subscribed after the last event seen ──lost──▶ waiting ──▶ asking for the head
 *
 * Asking for the head first turns "from now on" into a sequence, from which the command can resume. Its
 * errors also say more than a socket's.
 *
 * Each sequence goes with its event's hash. So the command notices if the journal has lost its end meanwhile
 * and gave the sequence to another event.
 *
 * @throws UnreachableError if the daemon does not answer at first, UnauthorisedError, RefusedError (also
 * DIVERGED)
 */
export async function follow<Event extends { readonly sequence: number; readonly hash: string }>(
  given: Following<Event>,
): Promise<void> {
  const { connection, document, filter, onEvent, onNotice, signal } = given
  let seen = given.after
  let hash: string | null = null
  let attempt = 0
  let started = false
  let lost = false
  while (!signal.aborted) {
    try {
      const head = await readHead(connection)
      seen ??= head
      if (head < seen)
        throw new RefusedError(
          'BEYOND_HEAD',
          `The journal ends at sequence ${head}, before ${seen}: is it another project, or another data folder?`,
        )
      started = true
      await subscribe(
        connection,
        document,
        { after: seen, afterHash: hash, filter },
        {
          signal,
          onConnected: () => {
            if (lost) onNotice(`Connected again; going on after sequence ${seen}.`)
            lost = false
            attempt = 0
          },
          onData: ({ events: event }) => {
            seen = event.sequence
            hash = event.hash
            onEvent(event)
          },
        },
      )
    } catch (error) {
      if (signal.aborted) return
      if (!mayComeBack(error) || !started) throw error
      if (!lost) onNotice(`The connection to ${connection.url} is lost; trying again (Ctrl-C ends) …`)
      lost = true
      await pause(backoffDelay(attempt++, { firstMs: 200 }), signal)
    }
  }
}

import type { UndoAsked } from '@daybook/client/documents/writes'

/** What the page is about to undo. It stands in the address. */
export interface UndoSettings {
  /** RFC 3339; null: nothing is asked yet. */
  readonly since: string | null
  readonly agent: string | null
  readonly context: string | null
  /** The name of a key. */
  readonly actor: string | null
  /** The id of an undo: what it did is taken back. */
  readonly operation: string | null
  /** All that happened since, by whomever. */
  readonly everything: boolean
}

/** Reads the address. */
export function readUndoSettings(params: URLSearchParams): UndoSettings {
  const since = params.get('since')
  return {
    since: since !== null && !Number.isNaN(Date.parse(since)) ? since : null,
    agent: params.get('agent'),
    context: params.get('context'),
    actor: params.get('actor'),
    operation: params.get('operation'),
    everything: params.get('everything') === '1',
  }
}

/** What the API is asked; null as long as it is not said what is to be undone. */
export function askedBy({
  since,
  agent,
  context,
  actor,
  operation,
  everything,
}: UndoSettings): UndoAsked | null {
  if (since === null) return null
  const named = [agent, context, actor, operation].some((one) => one !== null)
  if (!named && !everything) return null
  return {
    since,
    filter: { ...(agent !== null && { agent }), ...(context !== null && { context }) },
    actor,
    correlationId: operation,
    everything,
  }
}

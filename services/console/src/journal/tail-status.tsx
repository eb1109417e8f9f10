import { type JournalTail, notShown, type TailState } from './journal-tail.ts'

/** Whether the journal is live, what is not shown, and the button that pauses and resumes. */
export function TailStatus({ tail, state }: { readonly tail: JournalTail; readonly state: TailState }) {
  const { entries, head, mode, connection } = state
  const [oldest, newest] = [entries[0]?.sequence, entries.at(-1)?.sequence]
  const missing = notShown(state)
  return (
    <div class="tail-status">
      <span class={`tail-state ${connection === 'live' ? mode : connection}`} role="status">
        {WORDS[connection === 'live' ? mode : connection]}
      </span>
      {oldest !== undefined && newest !== undefined && (
        <span class="small muted">
          events {oldest.toLocaleString()} to {newest.toLocaleString()} of {head.toLocaleString()}
        </span>
      )}
      {mode === 'live' ? (
        <button type="button" onClick={() => tail.pause()}>
          Pause
        </button>
      ) : (
        <button type="button" class="primary" onClick={() => tail.resume()}>
          {mode === 'paused' ? 'Resume' : 'Back to the newest'}
          {missing > 0 && ` (${missing.toLocaleString()} new)`}
        </button>
      )}
    </div>
  )
}

const WORDS = {
  live: 'Live',
  paused: 'Paused',
  back: 'Older events',
  connecting: 'Connecting …',
  lost: 'Connection lost, trying again. Nothing will be missed.',
} as const

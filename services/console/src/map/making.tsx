import type { MemoryMap } from '../api/memory-map.ts'

/** How far the making of a map is. */
export function Making({
  operation,
  onCancel,
}: {
  readonly operation: NonNullable<MemoryMap['operation']>
  onCancel(): void
}) {
  const { phase, done, total, status } = operation
  const isCounted = total !== null && total > 0
  return (
    <div class="card map-making" role="status">
      <p>
        The map is being made: {status === 'QUEUED' ? 'waiting' : phase}
        {isCounted && `, ${done.toLocaleString()} of ${total.toLocaleString()} memories`}
      </p>
      <progress
        max={isCounted ? total : undefined}
        value={isCounted ? done : undefined}
        aria-label="Progress"
      />
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  )
}

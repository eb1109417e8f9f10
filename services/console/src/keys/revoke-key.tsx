import { type ApiKey, revokeKey } from '../api/keys.ts'
import { formatAgo } from '../components/ago.tsx'
import { FormDialog } from '../components/form-dialog.tsx'

/** Asks whether a key is to end, and ends it. */
export function RevokeKey({
  of: { id, name, prefix, isOwn, lastUsedAt },
  onDone,
  onClose,
}: {
  readonly of: ApiKey
  onDone(): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Revoke the key of ${name}?`}
      action="Revoke"
      dangerous
      onSubmit={async () => {
        await revokeKey(id)
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        {prefix !== null && <code>{prefix}…</code>} ends for good, within seconds everywhere. Whoever uses it
        can do nothing any more. What was written with it stays.
      </p>
      <p>
        {lastUsedAt === null
          ? 'It was never used.'
          : `It was last used ${formatAgo(lastUsedAt, Date.now())}.`}
      </p>
      {isOwn && (
        <p class="wrong">
          <strong>This session was opened with it, and ends too.</strong>
        </p>
      )}
    </FormDialog>
  )
}

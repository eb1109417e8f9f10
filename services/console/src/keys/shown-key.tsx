import type { MadeKey } from '../api/keys.ts'
import { formatMoment } from '../components/ago.tsx'
import { Copyable } from '../components/copyable.tsx'
import { Dialog } from '../components/dialog.tsx'

/** Shows a key that was just made, the only time that this is possible. */
export function ShownKey({ made, onClose }: { readonly made: MadeKey; onClose(): void }) {
  const { key, apiKey, replaces } = made
  return (
    <Dialog title={`The key of ${apiKey.name}`} onClose={onClose}>
      <div class="form">
        <p>
          <strong>It is shown only now.</strong> Daybook keeps no more than a hash of it. Copy it to where its
          user finds it, as <code>DAYBOOK_API_KEY</code>.
        </p>
        <Copyable label="The key" text={key} />
        {replaces !== null && (
          <p>
            {replaces.isValid && replaces.expiresAt !== null
              ? `The old one is valid until ${formatMoment(replaces.expiresAt)}: replace it where it is used.`
              : 'The old one has ended: replace it where it is used.'}
          </p>
        )}
        <div class="form-actions">
          <button type="button" class="primary" onClick={onClose}>
            I have kept it
          </button>
        </div>
      </div>
    </Dialog>
  )
}

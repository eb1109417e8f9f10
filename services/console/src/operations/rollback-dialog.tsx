import { type Generation, rollback } from '../api/projections.ts'
import { formatMoment } from '../components/ago.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { projectionTitle } from './operation-name.ts'

/** Asks whether the previous generation is to be live again. */
export function RollbackDialog({
  to,
  onDone,
  onClose,
}: {
  /** The old generation that was live last. */
  readonly to: Generation
  onDone(): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Roll ${projectionTitle(to.projection)} back?`}
      action="Roll back"
      onSubmit={async () => {
        await rollback(to.projection)
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        Generation {to.generation} is live again at once, with vectors of {to.model}. It was made{' '}
        {formatMoment(to.createdAt)} and is up to date. The generation that is live now is kept.
      </p>
    </FormDialog>
  )
}

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/**
 * A field of a form, with its name above it and an explanation below.
 * @param children gets the ids that connect them with the control
 */
export function Field({
  name,
  hint,
  children,
}: {
  readonly name: string
  readonly hint?: ComponentChildren
  children(ids: { readonly id: string; readonly 'aria-describedby': string | undefined }): ComponentChildren
}) {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {children({ id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <p id={hintId} class="small muted">
          {hint}
        </p>
      )}
    </div>
  )
}

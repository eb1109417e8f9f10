import { DaybookClientError } from '@daybook/client/client-error'

/** Says what went wrong, in Daybook's own words, with its code. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; onRetry?: () => void }) {
  const { message, code } = describe(error)
  return (
    <div class="notice error" role="alert">
      <p>{message}</p>
      {code !== null && <p class="muted">{code}</p>}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

function describe(error: unknown): { readonly message: string; readonly code: string | null } {
  if (error instanceof DaybookClientError) return { message: error.message, code: error.code }
  return { message: error instanceof Error ? error.message : String(error), code: null }
}

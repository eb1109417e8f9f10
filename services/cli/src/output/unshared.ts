import { note } from './print.ts'

/** Says on standard error that a write has not reached the project's home yet, if so. */
export function noteUnshared({ shared }: { readonly shared: boolean }): void {
  if (!shared)
    note(
      "Not shared yet: the project's home cannot be reached, or something waits before it. It goes there later:  daybook sync status",
    )
}

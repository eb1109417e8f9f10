/** A flag that one loop waits for and anyone may raise. If nobody waits, it stays raised, once. */
export interface WakeUp {
  raise(): void
  /** Resolves when the flag is raised or after `timeoutMs`, whichever is first, and lowers the flag. */
  wait(timeoutMs: number): Promise<void>
}

/** A lowered flag. */
export function createWakeUp(): WakeUp {
  let raised = false
  let wake: (() => void) | null = null
  return {
    raise() {
      raised = true
      wake?.()
    },
    async wait(timeoutMs) {
      if (!raised) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        wake = null
      }
      raised = false
    },
  }
}

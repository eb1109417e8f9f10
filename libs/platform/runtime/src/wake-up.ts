/** A flag that one loop waits on and anyone may raise. Raised while nobody waits, it is remembered once. */
export interface WakeUp {
  raise(): void
  /** Resolves when the flag is raised or after `timeoutMs`, whichever is first, and lowers the flag. */
  wait(timeoutMs: number): Promise<void>
}

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

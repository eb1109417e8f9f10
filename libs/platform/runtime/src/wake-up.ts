/** A flag that one loop waits for and anyone may raise. If nobody waits, it stays raised, once. */
export interface WakeUp {
  raise(): void
  /** Resolves when the flag is raised, after `timeoutMs`, or when the signal is aborted, whichever is first, and lowers the flag. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void>
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
    async wait(timeoutMs, signal) {
      if (!raised && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', end)
            resolve()
          }
          const timer = setTimeout(end, timeoutMs)
          signal?.addEventListener('abort', end)
          wake = end
        })
        wake = null
      }
      raised = false
    },
  }
}

/**
 * Exponential delay in milliseconds: `firstMs`, doubled for each attempt, at most `maxMs`, shortened at
 * random by up to half.
 */
export function backoffDelay(attempt: number, { firstMs = 50, maxMs = 5_000 } = {}): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30))
  return full * (0.5 + Math.random() / 2)
}

/**
 * Waits; ends early without an error when the signal is aborted. It uses no module of node, because the client
 * runs in browsers too.
 */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}

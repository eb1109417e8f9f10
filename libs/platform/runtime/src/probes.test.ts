import type { ServerResponse } from 'node:http'
import { expect, it, vi } from 'vitest'
import { answerProbe } from './probes.ts'

/** What a probe answers, in one text. */
async function ask(probes: Parameters<typeof answerProbe>[2]): Promise<string> {
  let said = ''
  const response = { writeHead: (status: number) => (said += status), end: (body: string) => (said += body) }
  await answerProbe('/ready', response as unknown as ServerResponse, probes)
  return said
}

it('a service is not ready while the database hangs, says so within 2 s, and looks once', async () => {
  vi.useFakeTimers()
  try {
    const ready = vi.fn<() => Promise<never>>(() => new Promise(() => {}))
    const probes = { ready, metrics: null }
    const answers = Promise.all([ask(probes), ask(probes)])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await answers).toEqual(
      Array(2).fill(expect.stringMatching(/^503.*the database does not answer within 1.8 s/u)),
    )
    expect(ready).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})

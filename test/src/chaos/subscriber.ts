import { pause } from '@daybook/runtime/backoff'
import { subscribe } from '../support/subscribe.ts'

/** Follows `events(after)` over SSE through whichever gateway lives, and goes on from what it has seen last. */
export interface Subscriber {
  /** Sequences as they came. */
  readonly seen: readonly number[]
  /** How often it had to begin again. */
  readonly connections: number
  /** @returns what was wrong with the order: each sequence must have come once, without a gap */
  problems(): string[]
  stop(): Promise<void>
}

const RECONNECT_MS = 50

interface Answer {
  readonly data?: { readonly events?: { readonly sequence: number } } | null
}

export function startSubscriber(urls: () => string[], apiKey: string): Subscriber {
  const seen: number[] = []
  const problems: string[] = []
  const stopping = new AbortController()
  let connections = 0

  const hear = (sequence: number) => {
    const expected = (seen.at(-1) ?? 0) + 1
    if (sequence !== expected) problems.push(`a subscriber got ${sequence} where ${expected} was next`)
    seen.push(sequence)
  }

  const follow = async (url: string): Promise<void> => {
    const request = {
      query: 'subscription ($after: Int!) { events(after: $after) { sequence } }',
      variables: { after: seen.at(-1) ?? 0 },
    }
    for await (const { data } of subscribe<Answer>({ url, apiKey }, request, stopping.signal))
      if (data?.events !== undefined) hear(data.events.sequence)
  }

  const run = async (): Promise<void> => {
    for (; !stopping.signal.aborted; await pause(RECONNECT_MS, stopping.signal)) {
      const [url] = urls().toSorted(() => (connections % 2) - 0.5)
      if (url === undefined) continue
      connections += 1
      // A gateway that dies ends the stream with an error; that is what this test is about.
      await follow(url).catch(() => {})
    }
  }

  const running = run()
  return {
    seen,
    get connections() {
      return connections
    },
    problems: () => problems.splice(0),
    async stop() {
      stopping.abort()
      await running
    },
  }
}

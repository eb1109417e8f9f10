import { pause } from '@daybook/runtime/backoff'
import { subscribe } from '../support/subscribe.ts'

/**
 * Follows `events(after)` over SSE through any living gateway, and continues after the last event it has
 * seen.
 */
export interface Subscriber {
  /** The sequences in the order of their arrival. */
  readonly seen: readonly number[]
  /** How often it connected. */
  readonly connections: number
  /** @returns violations of the order: each sequence must arrive once, without a gap */
  problems(): string[]
  stop(): Promise<void>
}

const RECONNECT_MS = 50

interface Answer {
  readonly data?: { readonly events?: { readonly sequence: number } } | null
}

/** Starts to follow a project's events from the first. */
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
      // A gateway that dies ends the stream with an error, which is what the test provokes.
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

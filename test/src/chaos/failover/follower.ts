import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../../support/child-process.ts'
import { subscribe } from '../../support/subscribe.ts'

/** Follows `events` over SSE through any living gateway, like an agent that keeps a copy of the journal. */
export interface Follower {
  /** How often it was told that its copy differs from the journal. */
  readonly diverged: number
  /** Waits until it has reached the journal's end. @returns how its copy differs from the journal */
  differences(chain: readonly { readonly sequence: number; readonly hash: string }[]): Promise<string[]>
  stop(): Promise<void>
}

const RECONNECT_MS = 50

interface Answer {
  readonly data?: { readonly events?: { readonly sequence: number; readonly hash: string } } | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

/** Starts to follow the journal from its first event. */
export function startFollower(urls: () => string[], apiKey: string): Follower {
  /** Hashes by sequence, from 1 on. */
  const copy: string[] = []
  const problems: string[] = []
  const stopping = new AbortController()
  let connections = 0
  let diverged = 0

  const hear = ({ data, errors }: Answer) => {
    if (errors?.some(({ extensions }) => extensions?.code === 'DIVERGED') === true) {
      diverged += 1
      // It starts over, like an agent that does not know where its copy begins to differ.
      copy.length = 0
    }
    const event = data?.events
    if (event === undefined) return
    if (event.sequence !== copy.length + 1)
      problems.push(`a subscriber got ${event.sequence} where ${copy.length + 1} was next`)
    copy[event.sequence - 1] = event.hash
  }

  const follow = async (url: string): Promise<void> => {
    const request = {
      query: `subscription ($after: Int!, $hash: String) {
        events(after: $after, afterHash: $hash) { sequence hash }
      }`,
      variables: { after: copy.length, hash: copy.at(-1) ?? null },
    }
    for await (const answer of subscribe<Answer>({ url, apiKey }, request, stopping.signal)) hear(answer)
  }

  const run = async (): Promise<void> => {
    for (; !stopping.signal.aborted; await pause(RECONNECT_MS, stopping.signal)) {
      const known = urls()
      const url = known[connections % Math.max(1, known.length)]
      if (url === undefined) continue
      connections += 1
      // If a stream breaks, the next one continues after its last event.
      await follow(url).catch(() => {})
    }
  }

  const running = run()
  return {
    get diverged() {
      return diverged
    },
    async differences(chain) {
      const end = chain.at(-1)
      for (
        const deadline = Date.now() + HANGS_MS;
        copy[chain.length - 1] !== end?.hash && Date.now() < deadline;
      )
        await pause(25)
      const wrong = chain.filter(({ sequence, hash }) => copy[sequence - 1] !== hash)
      return [
        ...problems.splice(0),
        ...(wrong.length > 0 || copy.length !== chain.length
          ? [
              `a subscriber's copy has ${copy.length} events and the journal ${chain.length}; they differ at ${wrong
                .slice(0, 5)
                .map(({ sequence }) => sequence)
                .join(', ')}`,
            ]
          : []),
      ]
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

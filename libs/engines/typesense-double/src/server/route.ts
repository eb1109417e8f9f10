import type { FaultState } from './faults.ts'
import type { Reply } from './reply.ts'
import type { Store } from './store.ts'

export interface Asked {
  readonly store: Store
  readonly faults: FaultState
  readonly query: URLSearchParams
  /** What stood in the path in the place of `:name`. */
  path(name: string): string
  /** The body as JSON. @throws RequestFailure where it is none */
  body(): Record<string, unknown>
  readonly text: string
  /** Parameters inside a scoped key. */
  readonly embedded: Readonly<Record<string, unknown>>
}

/** An endpoint: `METHOD /path/:name`. */
export interface Route {
  readonly pattern: string
  /** The action that a key must allow. */
  readonly action: string
  readonly answer: (asked: Asked) => Reply
}

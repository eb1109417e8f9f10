import type { FaultState } from './faults.ts'
import type { Reply } from './reply.ts'
import type { Store } from './store.ts'

/** A request as its route sees it. */
export interface Asked {
  readonly store: Store
  readonly faults: FaultState
  readonly query: URLSearchParams
  /** The part of the path that matches `:name`. */
  path(name: string): string
  /** The body as JSON. @throws RequestFailure if it is not JSON */
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

/** The fields that every memory has, as a GraphQL selection. */
export const MEMORY_FIELDS = `
  id kind title text agent labels categories importance context metadata occurredAt expiresAt version sequence
  createdAt updatedAt accessedAt accessCount decayWeight forgottenAt`

/** A memory as the API gives it. */
export interface Memory {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly text: string
  readonly agent: string | null
  readonly labels: readonly string[]
  readonly categories: readonly string[]
  readonly importance: number
  readonly context: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly occurredAt: string | null
  readonly expiresAt: string | null
  readonly version: number
  readonly sequence: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly accessedAt: string | null
  readonly accessCount: number
  readonly decayWeight: number
  readonly forgottenAt: string | null
}

/** An event of a memory's history. */
export interface HistoryEvent {
  readonly sequence: number
  readonly type: string
  readonly version: number
  readonly changed: readonly string[]
  readonly actor: string | null
  readonly recordedAt: string
  /** As it was then; null where the event cannot be read or was erased. */
  readonly memory: { readonly text: string } | null
}

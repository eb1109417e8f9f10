import type { ContentInput } from './content.ts'

/** The common fields as they were given: unchecked. Absent leaves a field as it is, null empties it. */
export interface CommonInput {
  readonly agent?: unknown
  readonly labels?: unknown
  readonly categories?: unknown
  readonly importance?: unknown
  readonly context?: unknown
  readonly metadata?: unknown
  readonly occurredAt?: unknown
  readonly expiresAt?: unknown
}

export interface RememberInput extends CommonInput {
  readonly content: ContentInput
}

export interface ReviseInput extends CommonInput {
  readonly content?: ContentInput | null
}

/** What somebody wants done to one memory. `id` is a plain UUID; a new memory's is chosen before the append. */
export type Command =
  | { readonly type: 'remember'; readonly id: string; readonly input: RememberInput }
  | {
      readonly type: 'revise'
      readonly id: string
      readonly input: ReviseInput
      readonly expectedVersion?: number
    }
  | { readonly type: 'forget'; readonly id: string; readonly expectedVersion?: number }
  | {
      readonly type: 'restore'
      readonly id: string
      /** The version whose content comes back; without it, the newest content of a forgotten memory. */
      readonly version?: number
      readonly expectedVersion?: number
    }

import type { CommonFieldName } from './common-fields.ts'
import type { ContentInput } from './content.ts'
import type { TransitionName } from './transitions.ts'

/** The common fields as given, unchecked. An absent field stays as it is; null empties it. */
export type CommonInput = { readonly [Name in CommonFieldName]?: unknown }

/** What a new memory is made from, unchecked. */
export interface RememberInput extends CommonInput {
  readonly content: ContentInput
  /** What to do if the same thing is remembered already; null or absent: as its kind says. */
  readonly onExisting?: unknown
  /** For a document: the texts of its further parts, in order. Default none. */
  readonly furtherParts?: readonly string[]
}

/** What a revision changes, unchecked. Absent content stays as it is. */
export interface ReviseInput extends CommonInput {
  readonly content?: ContentInput | null
}

/**
 * What a caller wants done to one memory. `id` is a plain UUID; a new memory's id is chosen before the
 * append.
 */
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
      /**
       * When it expires from now on, unchecked. Absent: as at that version, or never if that moment has
       * passed.
       */
      readonly expiresAt?: unknown
    }
  | { readonly type: TransitionName; readonly id: string; readonly expectedVersion?: number }
  /** Forgets a memory whose `expiresAt` has passed; any other stays as it is. */
  | { readonly type: 'expire'; readonly id: string }
  | {
      readonly type: 'undo'
      readonly id: string
      /** The version whose state comes back; 0: there was none, so it is forgotten. */
      readonly toVersion: number
      /** What the undo was planned on. Absent where it wins a conflict. */
      readonly expectedVersion?: number
    }

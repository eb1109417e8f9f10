import type { InputOf } from '@daybook/api/graphql'

/** What to remember, and a key that names the original. */
export type KeyedInput = InputOf<'RememberInput'> & { readonly idempotencyKey: string }

/** One memory of a foreign file, or why there is none. */
export type ImportItem =
  | {
      /** Where it stands, for messages: a file's path, or a conversation's title. */
      readonly where: string
      /** With an idempotency key that names the original, so that importing it again adds nothing. */
      readonly input: KeyedInput
      /** The memory that the file was written from, if Daybook wrote it. */
      readonly id?: string | undefined
    }
  | { readonly where: string; readonly problem: string }

/** Items in the order of the original. */
export type ImportItems = AsyncIterable<ImportItem> | Iterable<ImportItem>

/** What another program writes. */
export interface ImportFormat {
  /** As `--format` takes it. */
  readonly name: string
  readonly description: string
}

/** A format that is one JSON value. */
export interface JsonFormat extends ImportFormat {
  /** Whether a parsed value is of this format. */
  fits(value: unknown): boolean
  /** The items of a value that fits. */
  items(value: unknown): Iterable<ImportItem>
}

/** A file or folder of a format, ready to be read. */
export interface ForeignFile {
  readonly format: ImportFormat
  /** @throws UsageError if nothing in it can be imported */
  read(): ImportItems
}

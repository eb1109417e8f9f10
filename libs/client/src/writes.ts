import { isFailure } from '@daybook/api/failure'
import type { GraphQLDocument, InputOf, ReadonlyInput, ResultOf, VariablesOf } from '@daybook/api/graphql'
import { type Calls, type ChangeOptions, failureOf, succeeded } from './calls/calls.ts'
import type { DaybookClientError } from './client-error.ts'
import {
  type ChangedAnswer,
  CLOSE_SESSION,
  FORGET,
  INDEX_DOCUMENT,
  REMEMBER,
  REMEMBER_MANY,
  REOPEN_TODO,
  RESOLVE_TODO,
  RESTORE,
  REVISE,
  type RememberedAnswer,
  UNDO,
} from './documents/writes.ts'
import type { RequestOptions } from './http/request.ts'
import type { OwnWrites, Receipt } from './own-writes/own-writes.ts'

/** A change that is committed: its receipt, and the memory that changed. */
export interface Written extends Receipt {
  readonly id: string
  readonly kind: InputOf<'MemoryKind'>
  /** How many events the memory has. Pass it as `expectedVersion`. */
  readonly version: number
  /** Whether its idempotency key was used for this same change before. */
  readonly duplicate: boolean
}

/** A memory that is remembered, and what it came to: a new one, a revision of the same thing, or nothing new. */
export interface Remembered extends Written {
  readonly outcome: InputOf<'WriteOutcome'>
}

/** What to remember. Its `idempotencyKey` may stand here or in the options. */
export type RememberInput = InputOf<'RememberInput'>

/** A document to index under an id of one's own. */
export type DocumentToIndex = Omit<ReadonlyInput<VariablesOf<typeof INDEX_DOCUMENT>>, 'idempotencyKey'>

/** How a memory is changed. */
export interface MemoryChangeOptions extends ChangeOptions {
  /** Refuses the change (VERSION_CONFLICT) if the memory is at another version. */
  readonly expectedVersion?: number | undefined
}

/** What an undo would do, or is about to do. */
export type Undo = Extract<ResultOf<typeof UNDO>['result'], { __typename: 'Undo' }>

/**
 * The methods that change something. Each is sent with an idempotency key and, for some seconds, again where an
 * answer is lost or Daybook cannot serve now. It takes effect once. They throw `DaybookClientError`.
 */
export interface Writes {
  /** Remembers one thing. The same thing again (the same kind, key and context) revises it unless `onExisting` says otherwise. */
  remember(input: RememberInput, options?: ChangeOptions): Promise<Remembered>
  /**
   * Remembers up to 500 things, committed together. Each has its own result, in order: an input that is refused
   * gives an error in its place and does not hinder the others.
   */
  rememberMany(
    inputs: readonly RememberInput[],
    options?: ChangeOptions,
  ): Promise<readonly (Remembered | DaybookClientError)[]>
  /** Indexes a text of at most 960 KiB under an id of one's own. The same id again is a revision. */
  indexDocument(document: DocumentToIndex, options?: ChangeOptions): Promise<Remembered>
  /** Changes only the given fields; null empties an optional one. */
  revise(id: string, input: InputOf<'ReviseInput'>, options?: MemoryChangeOptions): Promise<Written>
  /** Takes a memory out of every search. `restore` brings it back. */
  forget(id: string, options?: MemoryChangeOptions): Promise<Written>
  /** Restores an earlier version, or a forgotten memory, as a new version. */
  restore(
    id: string,
    options?: MemoryChangeOptions & {
      /** Needed unless the memory is forgotten. */
      readonly version?: number | undefined
      /** RFC 3339. Default: as at that version. */
      readonly expiresAt?: string | undefined
    },
  ): Promise<Written>
  /** Says that a todo is done. */
  resolveTodo(id: string, options?: MemoryChangeOptions): Promise<Written>
  /** Says that a todo is left to do after all. */
  reopenTodo(id: string, options?: MemoryChangeOptions): Promise<Written>
  /** Closes a session. */
  closeSession(id: string, options?: MemoryChangeOptions): Promise<Written>
  /**
   * Takes back what was done since a moment; with `dryRun`, the default, only says what that is. An operation does
   * it after the answer. It has no idempotency key, because a second undo would take back the first: unless it is a dry run, it
   * is sent once.
   */
  undo(input: ReadonlyInput<VariablesOf<typeof UNDO>>, options?: RequestOptions): Promise<Undo>
}

/** What is remembered with, unless the input says otherwise. */
export interface Defaults {
  readonly context?: string | undefined
  readonly agent?: string | undefined
}

interface Parts {
  readonly calls: Calls
  readonly ownWrites: OwnWrites
  readonly defaults: Defaults
  /** Sends once. */
  request<Result, Variables>(
    document: GraphQLDocument<Result, Variables>,
    variables: ReadonlyInput<Variables>,
    options?: RequestOptions,
  ): Promise<Result>
}

/** Documents of one memory's change differ in their name only. */
type ChangeDocument = GraphQLDocument<{ result: ChangedAnswer }, VariablesOf<typeof FORGET>>

export function createWrites({ calls, ownWrites, defaults, request }: Parts): Writes {
  const noted = <Done extends Written>(written: Done): Done => {
    ownWrites.note(written)
    return written
  }
  const complete = (input: RememberInput, key: string): RememberInput => ({
    ...input,
    context: input.context === undefined ? defaults.context : input.context,
    agent: input.agent === undefined ? defaults.agent : input.agent,
    idempotencyKey: input.idempotencyKey ?? key,
  })
  const change =
    (document: ChangeDocument) =>
    async (id: string, options: MemoryChangeOptions = {}): Promise<Written> =>
      noted(
        await calls.change(
          document,
          (idempotencyKey) => ({ id, expectedVersion: options.expectedVersion, idempotencyKey }),
          ({ result }) => written(succeeded(result)),
          options,
        ),
      )
  return {
    remember: async (input, options) =>
      noted(
        await calls.change(
          REMEMBER,
          (key) => ({ input: complete(input, key) }),
          ({ result }) => remembered(result),
          options,
        ),
      ),
    rememberMany: (inputs, options) =>
      calls.change(
        REMEMBER_MANY,
        (key) => ({ inputs: inputs.map((input, index) => complete(input, `${key}:${index}`)) }),
        ({ result: results }) =>
          results.map((result) => (isFailure(result) ? failureOf(result) : noted(remembered(result)))),
        options,
      ),
    indexDocument: async (document, options) =>
      noted(
        await calls.change(
          INDEX_DOCUMENT,
          (idempotencyKey) => ({
            ...document,
            context: document.context === undefined ? defaults.context : document.context,
            idempotencyKey,
          }),
          ({ result }) => remembered(result),
          options,
        ),
      ),
    revise: async (id, input, options = {}) =>
      noted(
        await calls.change(
          REVISE,
          (idempotencyKey) => ({ id, input, expectedVersion: options.expectedVersion, idempotencyKey }),
          ({ result }) => written(succeeded(result)),
          options,
        ),
      ),
    forget: change(FORGET),
    restore: async (id, options = {}) => {
      const { version, expiresAt, expectedVersion } = options
      return noted(
        await calls.change(
          RESTORE,
          (idempotencyKey) => ({ id, version, expiresAt, expectedVersion, idempotencyKey }),
          ({ result }) => written(succeeded(result)),
          options,
        ),
      )
    },
    resolveTodo: change(RESOLVE_TODO),
    reopenTodo: change(REOPEN_TODO),
    closeSession: change(CLOSE_SESSION),
    async undo(input, options) {
      const send = input.dryRun === false ? request : calls.read
      return succeeded((await send(UNDO, input, options)).result)
    },
  }
}

/** A success of any kind of change. */
interface Success extends Receipt {
  readonly duplicate: boolean
  readonly memory: Pick<Written, 'id' | 'kind' | 'version'>
}

const written = ({ memory: { id, kind, version }, sequence, hash, duplicate }: Success): Written => ({
  id,
  kind,
  version,
  sequence,
  hash,
  duplicate,
})

function remembered(answer: RememberedAnswer): Remembered {
  const { outcome, ...success } = succeeded(answer)
  return { ...written(success), outcome }
}

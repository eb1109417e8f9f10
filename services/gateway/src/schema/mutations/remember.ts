import type { Appended, AppendOutcome, AppendRequest } from '@daybook/journal/append/append-request'
import { appendOne } from '@daybook/journal/append/journal-writer'
import { check } from '@daybook/memory/check'
import type { Command } from '@daybook/memory/commands'
import { ConflictError, LimitExceededError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { parseMemoryId, rememberedId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { LIST_COST, REMEMBER_COST } from '../limits.ts'
import { memoryInterface } from '../types/memory.ts'
import { rememberInput, toRememberInput } from '../types/memory-inputs.ts'

/** The result type of a successful write: `Remembered`, `Revised`, … */
export function written(name: string, description: string) {
  return builder.objectType(builder.objectRef<Appended>(name), {
    description,
    fields: (t) => ({
      memory: t.field({ type: memoryInterface, resolve: ({ memory }) => memory }),
      sequence: t.int({
        resolve: ({ memory }) => memory.sequence,
        description: "The receipt: the sequence of the memory's newest event, which is committed.",
      }),
      hash: t.string({
        resolve: ({ memory }) => memory.hash,
        description: 'The hash of that event. With it the receipt names exactly this event.',
      }),
      duplicate: t.exposeBoolean('duplicate', {
        description: 'True if the idempotency key was used for this same request before.',
      }),
    }),
  })
}

const writeOutcome = builder.enumType('WriteOutcome', {
  description: 'What remembering came to.',
  values: {
    REMEMBERED: { description: 'A new memory.' },
    REVISED: { description: 'The same thing was remembered already, and has a new version.' },
    RESTORED: { description: 'A forgotten document came back, as it is given now.' },
    UNCHANGED: { description: 'The same thing was remembered already, just so. Nothing was written.' },
  } as const,
})

function outcomeOf({ memory, written: kind, duplicate }: Appended) {
  if (duplicate) return memory.version === 1 ? 'REMEMBERED' : 'REVISED'
  switch (kind) {
    case null:
      return 'UNCHANGED'
    case 'MemoryRemembered':
      return 'REMEMBERED'
    case 'MemoryRestored':
      return 'RESTORED'
    default:
      return 'REVISED'
  }
}

/** The success of remembering; `memory-neighbours.ts` adds a field. */
export const remembered = written('Remembered', 'The memory, in the journal.')

builder.objectField(remembered, 'outcome', (t) =>
  t.field({
    type: writeOutcome,
    description: 'What it came to. For a repeated request (duplicate), what the first one came to.',
    resolve: (appended) => outcomeOf(appended),
  }),
)

builder.objectField(remembered, 'sameText', (t) =>
  t.idList({
    description:
      'Other memories that say just the same, by their ids without the kind: the same text, of the same kind, in the same context, about the same time. At most ten, oldest first, as far as the index is. Empty for a key that may not read. `erase` or `forget` one of them if one is enough.',
    // A program that writes asks for it, whatever its key: what a key may not read is not said, instead of refused.
    resolve: ({ memory }, _, { access, sameText }) =>
      access.scopes.has('read') ? sameText.load(memory) : [],
  }),
)

/** The result of remembering. */
export const rememberResult = builder.errorUnion('RememberResult', {
  types: [remembered, ValidationError, ConflictError, LimitExceededError],
  resolveType: () => 'Remembered',
})

/** The result of one input. GraphQL reports any other error for its item, masked. */
type RememberOutcome = Appended | ValidationError | ConflictError | LimitExceededError

type RememberArguments = typeof rememberInput.$inferInput

/** Converts an input into a request to append. @throws ValidationError */
function toRequest(context: Context, given: RememberArguments): AppendRequest {
  const idempotencyKey = checkIdempotencyKey(given.idempotencyKey)
  const id = rememberedId(context.project.projectId, idempotencyKey)
  return {
    command: { type: 'remember', id, input: toRememberInput(given) },
    metadata: context.metadata,
    idempotencyKey,
  }
}

builder.mutationField('remember', (t) =>
  t.field({
    type: rememberResult,
    args: { input: t.arg({ type: rememberInput, required: true }) },
    resolve: (_, { input }, context) => {
      const { command, idempotencyKey } = toRequest(context, input)
      return append(context, command, idempotencyKey ?? null)
    },
  }),
)

builder.mutationField('rememberMany', (t) =>
  t.field({
    type: [rememberResult],
    complexity: ({ inputs }) => ({ field: inputs.length * REMEMBER_COST, multiplier: LIST_COST }),
    description: 'Remembers up to 500 at once, committed together. Each has its own result, in order.',
    args: { inputs: t.arg({ type: [rememberInput], required: true }) },
    resolve: (_, { inputs }, context) => rememberMany(context, inputs),
  }),
)

async function rememberMany(
  context: Context,
  inputs: readonly RememberArguments[],
): Promise<RememberOutcome[]> {
  if (inputs.length > LIMITS.memoriesPerCall)
    throw new ValidationError(
      'inputs',
      `holds ${inputs.length} memories: the limit is ${LIMITS.memoriesPerCall} a call`,
    )
  const prepared = inputs.map((input, index) => {
    try {
      return toRequest(context, input)
    } catch (error) {
      return located(error, index)
    }
  })
  const requests = prepared.filter((one): one is AppendRequest => !(one instanceof Error))
  const outcomes = await appendAll(context, requests)
  let next = 0
  return prepared.map((one, index) => {
    if (one instanceof Error) return one
    const outcome = outcomes[next++]
    if (outcome === undefined) throw new Error('an append had no outcome')
    return 'error' in outcome ? located(outcome.error, index) : outcome.appended
  })
}

/** They are committed together, so if they exceed a limit of the project, none is. */
async function appendAll(
  context: Context,
  requests: readonly AppendRequest[],
): Promise<readonly AppendOutcome[]> {
  if (requests.length === 0) return []
  try {
    return await context.parts.writer.appendMany(context.project, requests)
  } catch (error) {
    if (error instanceof LimitExceededError) return requests.map(() => ({ error }))
    throw error
  }
}

/** Adds the input's index to the error's field. */
function located(error: unknown, index: number): ValidationError | ConflictError {
  if (error instanceof ValidationError) return error.within(`inputs.${index}`)
  return error as ConflictError
}

/** Checks an idempotency key. @throws ValidationError */
export function checkIdempotencyKey(key: string | null | undefined): string | null {
  return key == null ? null : check('idempotencyKey', shortString(LIMITS.idempotencyKeyCharacters), key)
}

/** Checks an expected version. @throws ValidationError */
function checkExpectedVersion(version: number | null | undefined): { expectedVersion?: number } {
  if (version == null) return {}
  if (version < 1) throw new ValidationError('expectedVersion', 'must be 1 or more')
  return { expectedVersion: version }
}

/**
 * The plain id of the memory that a mutation names.
 * @throws NotFoundError if the text is no id, because no memory can have it
 */
export function requireMemoryId(id: string): string {
  const ref = parseMemoryId(id)
  if (ref === null) throw new NotFoundError(`The memory "${id.slice(0, 64)}"`)
  return ref.uuid
}

/** The arguments that every change of a memory has. */
interface ChangeArguments {
  readonly id: string
  readonly expectedVersion?: number | null | undefined
  readonly idempotencyKey?: string | null | undefined
}

/** Undos come from an operation, which plans them. */
type Change<Each> = Each extends { readonly type: 'undo' }
  ? never
  : Each extends { readonly expectedVersion?: number }
    ? Omit<Each, 'id' | 'expectedVersion'>
    : never

/** Appends a change of an existing memory. @throws ValidationError, NotFoundError if the id is none */
export function appendChange(
  context: Context,
  { id, expectedVersion, idempotencyKey }: ChangeArguments,
  change: Change<Command>,
): Promise<Appended> {
  const command = { ...change, id: requireMemoryId(id), ...checkExpectedVersion(expectedVersion) }
  return append(context, command, checkIdempotencyKey(idempotencyKey))
}

/** Appends a command to the journal of the request's project. */
export function append(
  context: Context,
  command: Command,
  idempotencyKey: string | null = null,
): Promise<Appended> {
  return appendOne(context.parts.writer, context.project, {
    command,
    metadata: context.metadata,
    idempotencyKey,
  })
}

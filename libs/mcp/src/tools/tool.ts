import type { z } from 'zod'
import type { Session } from '../session.ts'
import type { Toolset } from '../toolsets.ts'

/**
 * What a call does, which clients show and ask permission for: `reads` nothing changes; `adds` only adds; `changes` can be
 * undone, but hides or replaces something.
 */
export type Effect = 'reads' | 'adds' | 'changes'

/** The answer of a tool. */
export interface Answer<Output> {
  /** For programs; it matches the tool's output schema. */
  readonly data: Output
  /** For the model: compact, and what memories say stays set in. */
  readonly text: string
  /** Whether it repeats what memories say; then the text and the data begin with a notice. Default no. */
  readonly quotes?: boolean
  /** Whether something was refused; the text says what and what to do. Default no. */
  readonly failed?: boolean
}

/** What examples may refer to: a prepared Daybook. */
export interface ExampleWorld {
  /** The id of a memory that was revised once. */
  readonly memoryId: string
  /** The id of an open todo. */
  readonly todoId: string
  /** The id of a memory that was forgotten. */
  readonly forgottenId: string
  /** A moment before all of that, RFC 3339. */
  readonly since: string
}

/** A tool as it is defined: one file each. */
export interface ToolDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** In snake_case, as MCP's tools are named. */
  readonly name: string
  readonly toolset: Toolset
  readonly title: string
  /** For the model: what it does, when to use it. */
  readonly description: string
  readonly effect: Effect
  /** Whether the same call again has no further effect. Default no; what only reads has none at all. */
  readonly idempotent?: boolean
  readonly input: Input
  readonly output: Output
  /** Brings shorter forms of the arguments into that of `input`. Default: there are none. */
  readonly accept?: (given: unknown) => unknown
  /** A call for the documentation, which a test makes. */
  readonly example: (world: ExampleWorld) => z.input<Input>
  run(input: z.output<Input>, session: Session): Promise<Answer<z.input<Output>>>
}

/** A tool whose types are not known statically: they were checked where it was defined. */
export type Tool = Omit<ToolDefinition, 'run'> & {
  run(input: unknown, session: Session): Promise<Answer<object>>
}

/** Defines a tool. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool => definition

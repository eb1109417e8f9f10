import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import type { Ledger } from './ledger.ts'
import type { RandomCall } from './random-call.ts'

/** How a request ended. */
export type Ended<Result = CallResult> =
  | { readonly result: Result }
  | {
      readonly error: unknown
      /** Whether the daemon was away at some moment of the call. */
      readonly wasAway: boolean
    }

/** The parts of a tool's result that are looked at. */
export interface CallResult {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

/** `VALIDATION: limit …`, one of several refusals, or what the SDK says of arguments that do not fit the schema. */
const REFUSAL =
  /^(?:\d+\. )?(?:Refused: )?[A-Z_]+: \S|Input validation error: Invalid arguments for tool \w+: \S/mu

/** The protocol's code for headers that say something else than the body. */
const HEADER_MISMATCH = -32_020

/** An error of a tool is for a model to read. */
const LONGEST_ERROR = 6_000

/** An answer that says nothing about whether it was written. */
const NO_ANSWER = /^(?:UNREACHABLE|UNAVAILABLE|TIMEOUT|DEADLINE_EXCEEDED): /mu

/** What of an answer must not be, in words; null if it is right. @param hidden what its client may not see */
export function faultOf(call: RandomCall, ended: Ended, hidden: readonly string[]): string | null {
  if ('error' in ended)
    return ended.wasAway || isRightError(call, ended.error) ? null : `threw ${String(ended.error)}`
  const { result } = ended
  const said = JSON.stringify(result).toLowerCase()
  const leaked = hidden.find((one) => said.includes(one))
  if (leaked !== undefined) return `showed ${leaked}: ${said.slice(0, 500)}`
  const [{ type, text = '' } = { type: 'nothing' }] = result.content
  if (type !== 'text' || text === '') return `has no text: ${said.slice(0, 500)}`
  if (result.isError === true) {
    if (text.includes('INTERNAL')) return `met a fault of ours: ${text.slice(0, 500)}`
    if (!REFUSAL.test(text)) return `was refused without a code: ${text.slice(0, 500)}`
    return text.length > LONGEST_ERROR
      ? `was refused in ${text.length} characters: ${text.slice(0, 200)}`
      : null
  }
  const parsed = call.tool?.output.safeParse(result.structuredContent)
  return parsed?.success === true ? null : `does not fit its schema: ${parsed?.error.message}`
}

/** The same of a read of a resource or prompt, whose errors are the protocol's. */
export function faultOfRead(read: Ended<unknown>, hidden: readonly string[]): string | null {
  if ('error' in read) {
    const { error, wasAway } = read
    return wasAway || isRefusal(error) ? null : `threw ${describe(error)}`
  }
  const said = JSON.stringify(read.result).toLowerCase()
  const leaked = hidden.find((one) => said.includes(one))
  return leaked === undefined ? null : `showed ${leaked}: ${said.slice(0, 500)}`
}

/** The codes of a wrong request; over HTTP an address is a header too, which cannot hold all characters. */
const REFUSALS: ReadonlySet<number> = new Set([ProtocolErrorCode.InvalidParams, HEADER_MISMATCH])

const isRefusal = (error: unknown): boolean =>
  error instanceof ProtocolError ? REFUSALS.has(error.code) : String(error).includes('HEADERS_TOO_LARGE')

const describe = (error: unknown): string =>
  error instanceof ProtocolError
    ? `${error.code} ${error.message.slice(0, 500)}`
    : String(error).slice(0, 500)

const isRightError = ({ tool }: RandomCall, error: unknown): boolean =>
  error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams && tool === null

/** Notes what a client now knows of its writes. */
export function note({ told, marks }: Ledger, call: RandomCall, ended: Ended): void {
  if ('error' in ended) {
    for (const mark of call.marks) marks.set(mark, 'unknown')
    return
  }
  const { content, structuredContent, isError } = ended.result
  const outcomes = structuredContent?.['results'] as readonly Outcome[] | undefined
  for (const { id, version } of outcomes ?? [])
    if (id !== undefined && version !== undefined)
      told.push({ memoryId: id, version, of: JSON.stringify(call.arguments).slice(0, 300) })
  const lost = isError === true && outcomes === undefined && NO_ANSWER.test(content[0]?.text ?? '')
  for (const [at, mark] of call.marks.entries())
    marks.set(mark, lost ? 'unknown' : outcomes?.[at]?.id === undefined ? 'refused' : knownOf(call, at))
}

interface Outcome {
  readonly id?: string
  readonly version?: number
}

/** What was made strange may have lost its mark, or be written as before. */
function knownOf({ arguments: given, marks, name }: RandomCall, at: number): 'told' | 'unknown' {
  const items = given[name === 'revise' ? 'changes' : 'memories'] as readonly {
    readonly metadata?: unknown
  }[]
  const metadata = items[at]?.metadata as { readonly mark?: unknown } | undefined
  return metadata?.mark === marks[at] ? 'told' : 'unknown'
}

import type { IncomingMessage } from 'node:http'
import { DaybookError } from '@daybook/memory/errors'
import { lossOf } from '@daybook/memory/json-problem'
import { sizeInWords } from '@daybook/memory/text-rules'
import { complexityFromQuery } from '@pothos/plugin-complexity'
import {
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  visit,
} from 'graphql'
import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import type { GatewayParts } from '../context.ts'
import { REQUEST_LIMITS } from '../schema/limits.ts'
import { createKeyWork } from './key-budget.ts'
import type { RequestContext } from './request-context.ts'

function tooLarge() {
  return createGraphQLError(
    `The request's body is too large: the limit is ${sizeInWords(REQUEST_LIMITS.bodyBytes)}`,
    {
      extensions: { code: 'BODY_TOO_LARGE', limit: REQUEST_LIMITS.bodyBytes, http: { status: 413 } },
    },
  )
}

function invalid(message: string) {
  return createGraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } })
}

function unsupported() {
  return createGraphQLError('The body must be JSON: send it with "Content-Type: application/json"', {
    extensions: { code: 'UNSUPPORTED_MEDIA_TYPE', http: { status: 415 } },
  })
}

function encoded(encoding: string) {
  return createGraphQLError(
    `The body is sent with "Content-Encoding: ${encoding.slice(0, 50)}", which is not read: send it as it is`,
    { extensions: { code: 'UNSUPPORTED_MEDIA_TYPE', http: { status: 415 } } },
  )
}

function tooSlow(timeoutMs: number) {
  return createGraphQLError(
    `The request's body did not arrive within ${timeoutMs / 1_000} s, which is the limit (DAYBOOK_REQUEST_TIMEOUT)`,
    {
      extensions: {
        code: 'REQUEST_TIMEOUT',
        retryable: false,
        http: { status: 408, headers: { connection: 'close' } },
      },
    },
  )
}

const JSON_TYPE = /^application\/(?:graphql\+)?json\s*(?:;|$)/iu

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a body, for as long as it may take. */
async function readInTime(request: Request, timeoutMs: number): Promise<Uint8Array> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs)
  })
  const reading = readLimited(request)
  // After the deadline the connection is cut, and nobody waits for the body any more.
  reading.catch(() => {})
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Reads a body. It stops as soon as the body exceeds the limit, whatever its headers said. */
async function readLimited(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > REQUEST_LIMITS.bodyBytes) throw tooLarge()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += part.byteLength
      if (size > REQUEST_LIMITS.bodyBytes) throw tooLarge()
      parts.push(part)
    }
  } catch (error) {
    // Nobody reads this answer, but without it the log would report an internal error.
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET')
      throw invalid('The body broke off before its end')
    throw error
  }
  return Buffer.concat(parts)
}

function parseJson(body: Uint8Array): GraphQLParams {
  let text: string
  try {
    text = UTF8.decode(body)
  } catch {
    // Silent replacement characters would make us remember something other than was sent.
    throw invalid('The body is not UTF-8')
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw invalid('The body is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid('The body must be one JSON object')
  const loss = lossOf(text)
  if (loss !== null) throw invalid(`The body ${loss}`)
  return parsed as GraphQLParams
}

/**
 * Reads every posted body, of any type, with a limit on its size and time; Yoga would read bodies of any size into
 * memory. Anything but JSON is refused: nobody needs forms and plain queries.
 */
export function bodyLimit(timeoutMs: number): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method !== 'POST') return
      setRequestParser(async (posted) => {
        const body = await readInTime(posted, timeoutMs)
        if (!JSON_TYPE.test(posted.headers.get('content-type') ?? '')) throw unsupported()
        const encoding = posted.headers.get('content-encoding') ?? 'identity'
        if (encoding.toLowerCase() !== 'identity') throw encoded(encoding)
        return parseJson(body)
      })
    },
  }
}

/** Milliseconds for the answer to a client that is too slow, before the connection is cut. */
const ANSWER_MS = 1_000

/**
 * Limits the time in which one request's body arrives, because Node's own limit is the same for all requests.
 * What reads a body answers 408 first, where it can; this cuts the connection in any case.
 *
 * @param whileSilent whether only the time counts in which nothing arrives although we would read it: an
 * import is read no faster than it is written
 */
export function limitUpload(
  request: IncomingMessage,
  { timeoutMs, whileSilent }: { readonly timeoutMs: number; readonly whileSilent: boolean },
): void {
  const { socket } = request
  let since = performance.now()
  let arrived = socket.bytesRead
  const look = () => {
    if (request.complete) return clearInterval(timer)
    // What was read but not taken is our own slowness.
    const moved = socket.bytesRead !== arrived || request.readableLength > 0
    if (whileSilent && moved) {
      since = performance.now()
      arrived = socket.bytesRead
    } else if (performance.now() - since >= timeoutMs + (whileSilent ? 0 : ANSWER_MS)) request.destroy()
  }
  const timer = setInterval(look, Math.max(20, Math.min(1_000, timeoutMs / 4)))
  timer.unref()
  request.once('close', () => clearInterval(timer))
}

/**
 * Bounds queries and mutations, over HTTP and WebSocket. Writers in quarantine get no
 * mutation. Each has a deadline, each project may have a limit of
 * requests a second, and each key has a number of turns, and a budget that the cost of each operation is taken from, of
 * subscriptions too. A request keeps its turn until its work is really over, even after its deadline. So a client gains
 * nothing by giving up and retrying.
 */
export function boundWork(
  { config, activity, budget, limits, quarantines }: GatewayParts,
  mask: (error: unknown) => GraphQLError,
): Plugin<RequestContext> {
  const { deadlineMs, perKey } = config.work
  const work = createKeyWork(perKey)
  const spend = ({ schema, document, operationName, variableValues, contextValue }: ExecutionArgs) => {
    const { access } = contextValue as RequestContext
    const operation = { document, operationName, variables: variableValues }
    budget.spend(access?.keyId ?? '', costOfOperation(schema, operation))
  }
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      try {
        spend(args)
      } catch (error) {
        setResultAndStopExecution({ errors: [mask(error)] })
      }
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      setExecuteFn(async (given: ExecutionArgs): Promise<ExecutionResult> => {
        activity?.touch()
        try {
          const { access } = args.contextValue
          spend(given)
          if (access?.projectId != null) await limits.request(access.projectId)
          const isMutation = getOperationAST(given.document, given.operationName)?.operation === 'mutation'
          const end = await work.begin(access?.keyId ?? '')
          const run = async (): Promise<ExecutionResult> => {
            const { claims } = args.contextValue
            // A look into the database, so within the deadline like everything else.
            if (isMutation && access !== null)
              await quarantines.requireFree(access.projectId, { ...claims, key: access.keyId })
            return executeFn(given) as ExecutionResult
          }
          const working = run().finally(end)
          return await withinDeadline(working, deadlineMs, isMutation)
        } catch (error) {
          return { errors: [mask(error)] }
        }
      })
    },
  }
}

async function withinDeadline<T>(working: Promise<T>, deadlineMs: number, isMutation: boolean): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(deadline(deadlineMs, isMutation)), deadlineMs)
  })
  try {
    return await Promise.race([working, late])
  } finally {
    clearTimeout(timer)
  }
}

function deadline(deadlineMs: number, isMutation: boolean): DaybookError {
  const what = `The request was not answered within ${deadlineMs / 1_000} s, which is the limit (DAYBOOK_REQUEST_DEADLINE)`
  const advice = isMutation
    ? 'it is not known whether its changes were made: look before you repeat it, or repeat it with the same idempotency keys'
    : 'ask for less at a time'
  return new DaybookError('DEADLINE', `${what}: ${advice}`)
}

/** What a question about the schema costs beside its fields, which the analysis takes for few. */
const INTROSPECTION_COST = 500

/**
 * The cost of the operation that will run, by the same analysis that limits a single query.
 * @returns 0 for what will be refused before it runs: too costly, or with wrong variables
 */
export function costOfOperation(
  schema: GraphQLSchema,
  { document, operationName, variables }: Operation,
): number {
  const operation = getOperationAST(document, operationName)
  if (operation == null) return 0
  // The analysis takes a document's first operation, which need not be the one that runs.
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  try {
    const { complexity } = complexityFromQuery(
      { ...document, definitions: [operation, ...fragments] },
      { schema, variables: { ...variables } },
    )
    return complexity > REQUEST_LIMITS.cost
      ? 0
      : complexity + (isIntrospection(document) ? INTROSPECTION_COST : 0)
  } catch {
    return 0
  }
}

function isIntrospection(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Field({ name: { value } }) {
      if (value !== '__schema' && value !== '__type') return undefined
      found = true
      return BREAK
    },
  })
  return found
}

interface Operation {
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

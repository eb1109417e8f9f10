import { DaybookError } from '@daybook/memory/errors'
import type { Access } from '@daybook/postgres/access/api-keys'
import { inSpan } from '@daybook/runtime/trace-context'
import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDirectivesPlugin } from '@escape.tech/graphql-armor-max-directives'
import { maxTokensPlugin } from '@escape.tech/graphql-armor-max-tokens'
import { useAPQ } from '@graphql-yoga/plugin-apq'
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { createYoga, type Plugin, type PromiseOrValue } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { createContext, type GatewayParts } from '../context.ts'
import { schema as daybookSchema } from '../schema/index.ts'
import { REQUEST_LIMITS } from '../schema/limits.ts'
import type { Need } from '../schema/resolve-in-project.ts'
import { createMaskError, endWithError } from './failure.ts'
import { withoutIntrospection } from './graphiql.ts'
import type { RequestContext } from './request-context.ts'
import { bodyLimit, boundWork } from './request-limits.ts'

/** Creates GraphQL over HTTP and SSE, with all limits on what a request may cost. */
export function createGraphQL(parts: GatewayParts) {
  const maskError = createMaskError(parts)
  return createYoga<RequestContext>({
    schema: daybookSchema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    batching: false,
    // `cacheDocuments` keeps them, and bounds what it keeps.
    parserAndValidationCache: false,
    // `cors.ts` answers for every route.
    cors: false,
    logging: false,
    maskedErrors: { maskError },
    // `graphiql.ts` serves it: Yoga would render its 9 MB again for each request, with inline scripts.
    graphiql: false,
    context: ({ access, ...request }) => {
      // The server has answered such requests with 401 before.
      if (access === null) throw new Error('a request without a key reached GraphQL')
      return createContext(parts, { access, ...request })
    },
    plugins: [
      cacheDocuments(),
      noOperationName,
      // Apollo and urql send a document's hash first, and the text if the hash is not known; both want status 200.
      useAPQ({ store: persistedDocuments(), responseConfig: { forceStatusCodeOk: true } }),
      bodyLimit(parts.config.httpLimits.requestTimeoutMs),
      traceOperations(),
      checkScopes(maskError),
      boundWork(parts, maskError),
      endWithError(maskError),
      ...(parts.config.introspection ? [] : [withoutIntrospection()]),
      maxTokensPlugin({ n: REQUEST_LIMITS.tokens }),
      maxAliasesPlugin({ n: REQUEST_LIMITS.aliases, allowList: [] }),
      maxDirectivesPlugin({ n: REQUEST_LIMITS.directives }),
    ],
  })
}

/** The GraphQL server that `createGraphQL` makes. */
export type GraphQLServer = ReturnType<typeof createGraphQL>

/**
 * How many characters of documents are kept parsed, 80 bytes of heap for each: 20 MB. The CLI's documents have
 * some 30,000 together.
 */
const CHARACTERS = 250_000

/**
 * Keeps documents parsed and validated, so that a client that sends the same again pays for neither. Yoga's own
 * cache counts documents, not their sizes, and keeps the wrong ones too, each with its whole request: a thousand of
 * 1 MB took 1 GB.
 */
function cacheDocuments(): Plugin {
  const valid = new LRUCache<string, DocumentNode>({
    maxSize: CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  })
  const isValid = new WeakSet<DocumentNode>()
  return {
    onParse({ params: { source }, setParsedDocument }) {
      const document = valid.get(source.toString())
      if (document !== undefined) setParsedDocument(document)
    },
    onValidate({ params: { documentAST }, setResult }) {
      if (isValid.has(documentAST)) return setResult([])
      return ({ result }) => {
        const text = documentAST.loc?.source.body
        if (result.length > 0 || text === undefined) return
        isValid.add(documentAST)
        valid.set(text, documentAST)
      }
    },
  }
}

/** Documents by their hash, for clients that send only that (automatic persisted queries). */
const persistedDocuments = () =>
  new LRUCache<string, string>({ maxSize: CHARACTERS, sizeCalculation: (text) => text.length + 1 })

/** Some clients name an operation without a name "". */
const noOperationName: Plugin = {
  onParams({ params, setParams }) {
    const { operationName, ...others } = params
    if (operationName === '') setParams(others)
  },
}

/** An operation as clients give it. */
interface GivenOperation {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** Yoga's own `execute` or `subscribe`, whose plugins check scopes, bound the work and mask errors. */
export type Run = (
  args: ExecutionArgs,
) => PromiseOrValue<ExecutionResult | AsyncIterableIterator<ExecutionResult>>

/** An operation that is ready to run. */
export interface PreparedOperation {
  readonly args: ExecutionArgs & { readonly contextValue: RequestContext }
  readonly execute: Run
  readonly subscribe: Run
}

/**
 * Parses and validates an operation that did not come over Yoga's own HTTP, with all of its plugins and limits.
 * @returns the errors if it is not valid
 * @throws what its plugins refuse before it runs, such as a document that is too long
 */
export async function prepareOperation(
  graphql: GraphQLServer,
  request: RequestContext,
  given: GivenOperation,
): Promise<PreparedOperation | readonly GraphQLError[]> {
  const enveloped = graphql.getEnveloped({ ...request, params: given })
  const { schema, execute, subscribe, contextFactory, parse, validate } = enveloped
  const document: DocumentNode = parse(given.query)
  const errors: readonly GraphQLError[] = validate(schema, document)
  if (errors.length > 0) return errors
  const args = {
    schema,
    operationName: given.operationName,
    document,
    variableValues: given.variables,
    contextValue: await contextFactory(),
  }
  return { args, execute, subscribe }
}

/** A scope, and the first field that needs it. */
interface Needed {
  readonly scope: Need
  readonly field: string
}

/**
 * Refuses operations that need a scope which their key lacks, over HTTP, SSE and WebSocket, before any of
 * their fields runs. This is the only place where scopes are checked: fields only say what they need
 * (`schema/resolve-in-project.ts`), and one that says nothing needs what its kind of operation needs.
 */
function checkScopes(mask: (error: unknown) => GraphQLError): Plugin<RequestContext> {
  const refuse = (args: ExecutionArgs, stop: (result: ExecutionResult) => void) => {
    const { access } = args.contextValue as RequestContext
    const operation = getOperationAST(args.document, args.operationName)
    // Yoga has its own answers for both.
    if (access === null || operation == null) return
    try {
      requireScopes(access, neededBy(args.schema, args.document, operation))
    } catch (error) {
      stop({ errors: [mask(error)] })
    }
  }
  return {
    onExecute: ({ args, setResultAndStopExecution }) => refuse(args, setResultAndStopExecution),
    onSubscribe: ({ args, setResultAndStopExecution }) => refuse(args, setResultAndStopExecution),
  }
}

/** @throws DaybookError FORBIDDEN, naming the scope that the key lacks */
export function requireScopes({ scopes, admin }: Access, needed: readonly Needed[]): void {
  const lacking = needed.find(({ scope }) => (scope === 'daybook' ? !admin : !scopes.has(scope)))
  if (lacking === undefined) return
  const { scope, field } = lacking
  const has = `this key has ${[...scopes].map((one) => one.toUpperCase()).join(' and ')}`
  throw new DaybookError(
    'FORBIDDEN',
    scope === 'daybook'
      ? `"${field}" needs a key with the scope ADMIN of all projects, one that may run the whole Daybook; ${has}${scopes.has('admin') ? ' of its own projects' : ''}. The daemon keeps such a key in <data folder>/api-key, a team sets it as DAYBOOK_DEFAULT_KEY`
      : `"${field}" needs the scope ${scope.toUpperCase()}, which this key lacks: ${has}. Use a key that has it, or let whoever administers the project make one: daybook keys create`,
  )
}

/** The same document is asked often, and parsed once. */
const known = new WeakMap<OperationDefinitionNode, readonly Needed[]>()

/** What an operation needs: each scope once. Fields that are skipped count too. */
function neededBy(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly Needed[] {
  const remembered = known.get(operation)
  if (remembered !== undefined) return remembered
  const needed = new Map<Need, string>()
  const waiting: string[] = []
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === 'FragmentDefinition' ? [[one.name.value, one]] : [])),
  )
  const types = new TypeInfo(schema)
  const look = (definition: DocumentNode['definitions'][number]) =>
    visit(
      definition,
      visitWithTypeInfo(types, {
        Field(node) {
          for (const scope of needsOf(types, operation))
            if (!needed.has(scope)) needed.set(scope, node.name.value)
        },
        FragmentSpread: (node) => void waiting.push(node.name.value),
      }),
    )
  look(operation)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const fragment = fragments.get(name)
    fragments.delete(name)
    if (fragment !== undefined) look(fragment)
  }
  const found = [...needed].map(([scope, field]) => ({ scope, field }))
  known.set(operation, found)
  return found
}

const OF_OPERATION = { query: 'read', subscription: 'read', mutation: 'write' } as const

/** Fields of a memory that its writer gets as a receipt, without the right to read it. */
const RECEIPT: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'version',
  'sequence',
  'hash',
  'shared',
  '__typename',
])

function needsOf(types: TypeInfo, operation: OperationDefinitionNode): readonly Need[] {
  const [field, parent] = [types.getFieldDef(), types.getParentType()]
  // What exists and how it is called is no secret.
  if (field == null || parent == null || field.name.startsWith('__') || parent.name.startsWith('__'))
    return []
  const { needs } = field.extensions
  if (needs !== undefined) return needs
  const isRoot = ['Query', 'Mutation', 'Subscription'].includes(parent.name)
  if (isRoot) return [OF_OPERATION[operation.operation]]
  return isMemory(parent) && !RECEIPT.has(field.name) ? ['read'] : []
}

function isMemory(type: NonNullable<ReturnType<TypeInfo['getParentType']>>): boolean {
  if (isInterfaceType(type)) return ['Memory', 'Node'].includes(type.name)
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Memory')
}

/**
 * Makes a span for each query and mutation, over HTTP and WebSocket, that continues the client's trace. The
 * span is named by the kind of operation; the names that clients choose are unbounded, so they go into an
 * attribute. A subscription lasts as long as its client likes and gets no span.
 */
function traceOperations(): Plugin<RequestContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      setExecuteFn((given: ExecutionArgs) => {
        const operation = getOperationAST(given.document, given.operationName)
        const { correlationId, traceparent } = args.contextValue
        const attributes = {
          'graphql.operation.name': operation?.name?.value ?? '',
          'daybook.correlation_id': correlationId,
        }
        const options = { kind: 'server', traceparent, attributes } as const
        return inSpan(`graphql ${operation?.operation ?? 'operation'}`, options, () => executeFn(given))
      })
    },
  }
}

import { DaybookError } from '@daybook/memory/errors'
import type { Access } from '@daybook/postgres/access/api-keys'
import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Need } from '../schema/needs.ts'
import type { RequestContext } from './request-context.ts'

/** A scope, and the first field that needs it. */
export interface Needed {
  readonly scope: Need
  readonly field: string
}

/**
 * Refuses operations that need a scope which their key lacks, over HTTP, SSE and WebSocket, before any of
 * their fields runs. This is the only place where scopes are checked: fields only say what they need
 * (`schema/needs.ts`), and one that says nothing needs what its kind of operation needs.
 */
export function checkScopes(mask: (error: unknown) => Error): Plugin<RequestContext> {
  const refuse = (args: ExecutionArgs, stop: (result: never) => void) => {
    const { access } = args.contextValue as RequestContext
    const operation = getOperationAST(args.document, args.operationName)
    // Yoga has its own answers for both.
    if (access === null || operation == null) return
    try {
      requireScopes(access, neededBy(args.schema, args.document, operation))
    } catch (error) {
      stop({ errors: [mask(error)] } as never)
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
export function neededBy(
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

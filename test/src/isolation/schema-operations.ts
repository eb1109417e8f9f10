import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isUnionType,
} from 'graphql'

/** A field of Query, Mutation or Subscription, with all that can be asked of its answer. */
export interface RootField {
  readonly kind: 'query' | 'mutation' | 'subscription'
  readonly name: string
  readonly args: readonly GraphQLArgument[]
  /** The whole operation. Its variables are named as the arguments. */
  readonly document: string
}

/** Every field that a client may begin with. A new one is driven without anybody adding it here. */
export function rootFields(schema: GraphQLSchema): RootField[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const
  return roots.flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({
      kind,
      name: field.name,
      args: field.args,
      document: documentOf(schema, kind, field),
    })),
  )
}

function documentOf(
  schema: GraphQLSchema,
  kind: RootField['kind'],
  { name, args, type }: GraphQLField<unknown, unknown>,
): string {
  const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ')
  const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  // Of a list of results each is short: together they would cost too much.
  const listed = kind === 'mutation' && isListType(isNonNullType(type) ? type.ofType : type)
  const asked = { schema, hasMemory: listed }
  const selection = selectionOf(asked, type, new Set(listed ? ['SearchResult'] : []))
  return `${kind} ${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selection} }`
}

/** Arguments of fields inside an answer, which keep lists within the limit of a query's cost. */
const INNER_ARGUMENTS: Readonly<Record<string, string>> = { first: '3', limit: '3', values: '10' }

/** What is asked of a memory inside or beside another one. */
const SHORT_MEMORY = '{ id title text context labels agent metadata }'

/** What a document asks for so far. */
interface AskedSoFar {
  readonly schema: GraphQLSchema
  /** Whether it asks for the whole of a memory: once is enough, and several times would be too broad. */
  hasMemory: boolean
}

/** Everything of a type; of a type within itself only what is no object. */
function selectionOf(asked: AskedSoFar, type: GraphQLOutputType, within: ReadonlySet<string>): string {
  const { schema } = asked
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (isUnionType(named)) {
    const members = named.getTypes().map((one) => `... on ${one.name} ${selectionOf(asked, one, within)}`)
    return `{ __typename ${members.join(' ')} }`
  }
  if (named.name === 'Memory') {
    if (asked.hasMemory) return SHORT_MEMORY
    asked.hasMemory = true
  }
  const inside = new Set([...within, named.name])
  const own = fieldsOf(asked, named as GraphQLObjectType, inside)
  if (!isInterfaceType(named)) return `{ ${own} }`
  const shared = named.getFields()
  const kinds = schema.getPossibleTypes(named as GraphQLInterfaceType).flatMap((kind) => {
    const others = Object.values(kind.getFields()).filter((field) => !(field.name in shared))
    // What a plain `Node` has besides is asked where a `Memory` is asked for.
    if (others.length === 0 || named.name === 'Node') return []
    return [`... on ${kind.name} { ${others.map(({ name }) => name).join(' ')} }`]
  })
  return `{ __typename ${own} ${kinds.join(' ')} }`
}

function fieldsOf(
  asked: AskedSoFar,
  type: GraphQLObjectType | GraphQLInterfaceType,
  within: ReadonlySet<string>,
): string {
  return Object.values(type.getFields())
    .flatMap((field) => {
      const named = getNamedType(field.type)
      const circular = !isLeafType(named) && named.name !== 'Memory' && within.has(named.name)
      if (circular) return []
      const inner = field.args.flatMap(({ name }) =>
        name in INNER_ARGUMENTS ? [`${name}: ${INNER_ARGUMENTS[name]}`] : [],
      )
      const passed = inner.length > 0 ? `(${inner.join(', ')})` : ''
      return [`${field.name}${passed} ${selectionOf(asked, field.type, within)}`]
    })
    .join(' ')
}

/** Where a value stands: the names of the argument and of the fields that lead to it. */
export interface Slot {
  readonly path: readonly string[]
  readonly type: string
  readonly inList: boolean
}

/** The places of a field's arguments that hold a text or an id. */
export function textSlots(args: readonly GraphQLArgument[]): Slot[] {
  return args.flatMap((arg) => slotsIn(arg, []))
}

function slotsIn({ name, type }: GraphQLArgument | GraphQLInputField, before: readonly string[]): Slot[] {
  const path = [...before, name]
  const inList = isListType(isNonNullType(type) ? type.ofType : type)
  const named = getNamedType(type)
  if (isInputObjectType(named)) {
    if (inList) return []
    return Object.values(named.getFields()).flatMap((field) => slotsIn(field, path))
  }
  return named.name === 'ID' || named.name === 'String' ? [{ path, type: named.name, inList }] : []
}

/** Chooses the values of arguments. */
export interface Chooser {
  /** One of them. */
  pick<T>(among: readonly T[]): T
  /** Whether to give something that may be left out. */
  maybe(path: readonly string[]): boolean
  /** A text or an id. @param type `ID` or `String` */
  text(type: string, path: readonly string[]): string
}

/** The variables of an operation, as a client would send them. */
export function variablesOf(
  args: readonly GraphQLArgument[],
  chooser: Chooser,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    args
      .filter((arg) => isNonNullType(arg.type) || chooser.maybe([arg.name]))
      .map((arg) => [arg.name, valueOf(arg.type, [arg.name], chooser)]),
  )
}

/** Whole numbers by the name of their argument. The test fails for a name that is not here: a new one is thought about. */
const WHOLE_NUMBERS: Readonly<Record<string, readonly number[]>> = {
  limit: [1, 3, 5],
  first: [1, 3, 5],
  topK: [1, 5],
  values: [1, 10],
  tokenBudget: [50, 2_000],
  atLeast: [0, 1, 2],
  after: [0, 1, 5],
  from: [1, 2],
  to: [1, 2],
  version: [1, 2],
  expectedVersion: [1, 2, 3],
  sequence: [1, 2],
  importance: [0, 5, 10],
  minImportance: [0, 5],
  graceSeconds: [0, 60],
  generation: [1, 2],
  memories: [1_000_000],
  requestsPerSecond: [100_000],
  queuedTexts: [1_000_000],
}
const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  minScore: [0, 0.1],
  bytes: [1e12],
  decay: [0, 1],
  importance: [0, 1],
  recency: [0, 1],
  lexical: [0.5],
  neighbour: [0.4],
  session: [0.2],
  vector: [0.5],
}

function valueOf(type: GraphQLInputType, path: readonly string[], chooser: Chooser): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, path, chooser)
  const name = path.at(-1) ?? ''
  if (isListType(type)) {
    // A vector has the model's dimension.
    if (getNamedType(type).name === 'Float') return Array.from({ length: 64 }, (_, at) => (at % 7) - 3)
    return chooser.pick([1, 2]) === 1
      ? [valueOf(type.ofType, path, chooser)]
      : [valueOf(type.ofType, path, chooser), valueOf(type.ofType, path, chooser)]
  }
  if (isEnumType(type)) return chooser.pick(type.getValues()).name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const inside = (field: GraphQLInputField) => [
      field.name,
      valueOf(field.type, [...path, field.name], chooser),
    ]
    if (type.isOneOf) return Object.fromEntries([inside(chooser.pick(fields))])
    return Object.fromEntries(
      fields.filter((field) => isNonNullType(field.type) || chooser.maybe([...path, field.name])).map(inside),
    )
  }
  switch (type.name) {
    case 'Int':
      return chooser.pick(known(WHOLE_NUMBERS, path))
    case 'Float':
      return chooser.pick(known(NUMBERS, path))
    case 'Boolean':
      return chooser.pick([true, false])
    case 'DateTime':
      return momentFor(name, chooser)
    case 'JSON':
      return { note: chooser.text('String', path) }
    case 'ID':
    case 'String':
      return chooser.text(type.name, path)
    default:
      throw new Error(`the isolation test knows no value of the scalar ${type.name} (${path.join('.')})`)
  }
}

function known(
  table: Readonly<Record<string, readonly number[]>>,
  path: readonly string[],
): readonly number[] {
  const found = table[path.at(-1) ?? '']
  if (found === undefined)
    throw new Error(
      `the isolation test has no number for the argument ${path.join('.')}: add it to schema-operations.ts`,
    )
  return found
}

const HOUR_MS = 3_600_000

function momentFor(name: string, { pick }: Chooser): string {
  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()
  if (name === 'expiresAt') return inHours(pick([1, 100]))
  if (name.endsWith('After') || name === 'since') return inHours(pick([-100, -1]))
  if (name.endsWith('Before')) return inHours(pick([1, 100]))
  return inHours(pick([-100, 0, 100]))
}

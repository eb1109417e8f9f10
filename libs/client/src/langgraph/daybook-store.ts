import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint'
import { DaybookClientError } from '../client-error.ts'
import type { DaybookClient } from '../create-client.ts'
import type { Memory } from '../memory.ts'
import type { MemoryFilter } from '../reads.ts'
import type { RememberInput } from '../writes.ts'

/** How the store keeps items. */
export interface DaybookStoreOptions {
  /**
   * The paths whose texts a search compares, such as `title` or `chapters[*].content`. Default `['$']`: all texts of
   * the value.
   */
  readonly fields?: readonly string[] | undefined
}

/** The most hits that a search gives, and memories in a page. */
const [MOST_HITS, PAGE] = [100, 100]

/** The most contexts that are counted at once. */
const MOST_CONTEXTS = 1_000

/**
 * LangGraph's store in a Daybook. Each item is a memory with versions, which `daybook` and other agents see as well.
 * It waits for its own writes; another process sees them a moment later.
 *
 * In one batch, reads see the state before the batch, and of several puts of one item the last one counts, as in
 * LangGraph's own store in memory.
 * @param client `readYourWrites` must not be switched off
 */
export function createDaybookStore(client: DaybookClient, options: DaybookStoreOptions = {}): BaseStore {
  return new DaybookStore(client, options.fields ?? ['$'])
}

class DaybookStore extends BaseStore {
  readonly #client: DaybookClient
  readonly #fields: readonly string[]

  constructor(client: DaybookClient, fields: readonly string[]) {
    super()
    this.#client = client
    this.#fields = fields
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = operations.filter(isPut)
    for (const { namespace } of puts) validateNamespace(namespace, { allowReservedRoot: true })
    const results = await Promise.all(
      operations.map(async (operation) => {
        if (isPut(operation)) return undefined
        if ('namespacePrefix' in operation) return this.#search(operation)
        return isGet(operation) ? this.#get(operation) : this.#listNamespaces(operation)
      }),
    )
    await this.#write(puts)
    return results as OperationResults<Op>
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const found = await this.#find({ namespace, key })
    return found === null ? null : shown(found.item)
  }

  /** The item and its memory. Labels that are digests could, in theory, belong to others as well. */
  async #find({ namespace, key }: GetOperation): Promise<{ item: StoredItem; memory: Memory } | null> {
    const filter: MemoryFilter = {
      kinds: ['INSIGHT'],
      context: contextOf(namespace),
      labelsAll: [ITEM, await keyLabel(key)],
    }
    for await (const memory of this.#client.memories({ filter, pageSize: 2 })) {
      const item = toItem(memory)
      if (item?.key === key && item.namespace.length === namespace.length) return { item, memory }
    }
    return null
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter, limit = 10, offset = 0, query } = operation
    const within = {
      kinds: ['INSIGHT'],
      labelsAll: [ITEM, await namespaceLabel(namespacePrefix)],
    } as const satisfies MemoryFilter
    const fits = (item: StoredItem | null): item is StoredItem =>
      item !== null && isWithin(item.namespace, namespacePrefix) && matchesFilter(item.value, filter)
    const found: SearchItem[] = []
    if (query === undefined || query.trim() === '') {
      for await (const memory of this.#client.memories({ filter: within, pageSize: PAGE })) {
        const item = toItem(memory)
        if (fits(item)) found.push(shown(item))
        if (found.length >= offset + limit) break
      }
      return found.slice(offset)
    }
    // The nearest are wanted, however far they are.
    const { hits } = await this.#client.search(query, { filter: within, limit: MOST_HITS, floor: false })
    for (const { memory, score } of hits) {
      const item = toItem(memory)
      if (fits(item) && item.indexed) found.push({ ...shown(item), score })
    }
    return found.slice(offset, offset + limit)
  }

  async #listNamespaces({
    matchConditions,
    maxDepth,
    limit,
    offset,
  }: ListNamespacesOperation): Promise<string[][]> {
    const matching = (await this.#namespaces()).filter((one) => matchesConditions(one, matchConditions))
    const cut = matching.map((one) => contextOf(one.slice(0, maxDepth)))
    return [...new Set(cut)]
      .toSorted((a, b) => a.localeCompare(b))
      .slice(offset, offset + limit)
      .map(namespaceOf)
  }

  async #namespaces(): Promise<string[][]> {
    const filter: MemoryFilter = { kinds: ['INSIGHT'], labelsAll: [ITEM] }
    const { contexts, others } = await this.#client.facets({ filter, values: MOST_CONTEXTS })
    if (!others.some(({ facet }) => facet === 'contexts'))
      return contexts.map(({ value }) => namespaceOf(value))
    const all = new Set<string>()
    for await (const { context } of this.#client.memories({ filter, pageSize: PAGE }))
      if (context !== null) all.add(context)
    return [...all].map(namespaceOf)
  }

  async #write(puts: readonly PutOperation[]): Promise<void> {
    const last = new Map(puts.map((put) => [`${contextOf(put.namespace)}:${put.key}`, put]))
    const kept = [...last.values()].filter(({ value }) => value !== null)
    const inputs = await Promise.all(kept.map((put) => toInput(put, this.#fields)))
    for (const batch of inBatches(inputs))
      for (const result of await this.#client.rememberMany(batch))
        if (result instanceof DaybookClientError) throw result
    await Promise.all(
      [...last.values()].filter(({ value }) => value === null).map((put) => this.#delete(put)),
    )
  }

  async #delete(put: PutOperation): Promise<void> {
    const found = await this.#find(put)
    if (found !== null) await this.#client.forget(found.memory.id)
  }
}

const isPut = (operation: Operation): operation is PutOperation => 'value' in operation

const isGet = (operation: Operation): operation is GetOperation => 'key' in operation

const shown = ({ indexed: _indexed, ...item }: StoredItem): Item => item

/** A request holds at most 1 MiB and 500 memories; 100 a commit are near the best rate. */
const [BATCH_BYTES, BATCH_ITEMS] = [512 * 1024, 100]

/** Splits what is remembered into lists that fit a request each, in order. */
function inBatches(inputs: readonly RememberInput[]): RememberInput[][] {
  const batches: RememberInput[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const input of inputs) {
    const size = new TextEncoder().encode(JSON.stringify(input)).length
    const last = batches.at(-1)
    if (last === undefined || last.length >= BATCH_ITEMS || bytes + size > BATCH_BYTES) {
      batches.push([input])
      bytes = size
    } else {
      last.push(input)
      bytes += size
    }
  }
  return batches
}

/** The label of every item, so that items can be told from other memories. */
const ITEM = 'langgraph'

/** The most characters of a label. */
const LABEL_CHARACTERS = 64

/**
 * The label of a namespace. Each item has those of all its prefixes, because Daybook finds labels exactly and knows
 * no prefixes: `langgraph`, `langgraph:users`, `langgraph:users:kai`. LangGraph forbids colons inside a namespace.
 */
const namespaceLabel = (namespace: readonly string[]): Promise<string> =>
  shortened([ITEM, ...namespace].join(':'))

/** The label of a key. */
const keyLabel = (key: string): Promise<string> => shortened(`${ITEM}=${key}`)

/** All labels of an item. */
const labelsOf = (namespace: readonly string[], key: string): Promise<string[]> =>
  Promise.all([
    ...[...namespace.keys(), namespace.length].map((length) => namespaceLabel(namespace.slice(0, length))),
    keyLabel(key),
  ])

/** A label that is too long is replaced by its digest. */
async function shortened(label: string): Promise<string> {
  if (Array.from(label).length <= LABEL_CHARACTERS) return label
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(label))
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${ITEM}#${hex.slice(0, LABEL_CHARACTERS - ITEM.length - 1)}`
}

type Comparison = (value: unknown, wanted: unknown) => boolean

/** As LangGraph's own stores compare. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
}

/** Whether each field of a value is as the filter wants it: equal, or as its operators say. */
const matchesFilter = (
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>> = {},
): boolean => Object.entries(filter).every(([field, wanted]) => matches(value[field], wanted))

function matches(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  const operators = Object.entries(wanted)
  if (!operators.every(([name]) => Object.hasOwn(COMPARISONS, name))) return value === wanted
  return operators.every(([name, operand]) => COMPARISONS[name]?.(value, operand))
}

/** Whether a namespace begins or ends as all conditions say. `*` stands for any label. */
const matchesConditions = (
  namespace: readonly string[],
  conditions: readonly MatchCondition[] = [],
): boolean =>
  conditions.every(({ matchType, path }) => {
    if (path.length > namespace.length) return false
    const from = matchType === 'prefix' ? 0 : namespace.length - path.length
    return path.every((label, index) => label === '*' || label === namespace[from + index])
  })

/** Whether `namespace` lies in `prefix`. */
const isWithin = (namespace: readonly string[], prefix: readonly string[]): boolean =>
  matchesConditions(namespace, [{ matchType: 'prefix', path: [...prefix] }])

/** The path that means the whole value. */
const WHOLE = '$'

/** The most characters of a text: it stays below the 64 KiB of UTF-8 that Daybook keeps of one. */
const TEXT_CHARACTERS = 16_000

/**
 * The text that a search compares: what stands at the paths, one line each. A value with other values in it gives a
 * line `name: text` for each of its texts and numbers.
 * @param paths such as `title`, `chapters[*].content`, `authors[0].name`, `tags[-1]`; `$` is the whole value
 * @returns empty if nothing stands there
 */
function searchedText(value: unknown, paths: readonly string[]): string {
  const lines = paths.flatMap((path) => valuesAt(value, path).flatMap((found) => linesOf(found)))
  return lines.join('\n').slice(0, TEXT_CHARACTERS).replaceAll('\u0000', '').toWellFormed().trim()
}

function valuesAt(value: unknown, path: string): unknown[] {
  if (path === WHOLE) return [value]
  const steps = path.match(/[^.[\]]+/gu) ?? []
  return steps.reduce<unknown[]>((values, step) => values.flatMap((one) => stepInto(one, step)), [value])
}

function stepInto(value: unknown, step: string): unknown[] {
  if (Array.isArray(value)) {
    if (step === '*') return value
    const found: unknown = value.at(Number(step))
    return /^-?\d+$/u.test(step) && found !== undefined ? [found] : []
  }
  if (typeof value !== 'object' || value === null) return []
  if (step === '*') return Object.values(value)
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : []
}

function linesOf(value: unknown, name = ''): string[] {
  const prefix = name === '' ? '' : `${name}: `
  if (typeof value === 'string') return value.trim() === '' ? [] : [`${prefix}${value}`]
  if (typeof value === 'number' || typeof value === 'boolean') return [`${prefix}${value}`]
  if (Array.isArray(value)) return value.flatMap((one) => linesOf(one, name))
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  // The only text of a value needs no name.
  const [only] = entries
  if (entries.length === 1 && only !== undefined && typeof only[1] === 'string') return linesOf(only[1])
  return entries.flatMap(([key, one]) => linesOf(one, key))
}

/*
 * An item is an insight: its key is the insight's key, its namespace the context. So what is put again revises the same memory,
 * and people and other agents find it by `recall`. Its text is what searches compare. The value is kept as JSON text, which
 * keeps what Daybook's metadata would not: the order of keys, U+0000, and unpaired surrogates.
 */

/** What stands in an item's metadata, under `langgraph`. */
interface ItemMetadata {
  readonly namespace: readonly string[]
  readonly key: string
  /** False if searches by a query leave it out. */
  readonly indexed: boolean
  /** JSON; absent if it is too long for metadata, and stands in the memory's content. */
  readonly value?: string
}

/** The most bytes of metadata as JSON. */
const METADATA_BYTES = 16 * 1024

/** A namespace as a context: LangGraph forbids colons inside it. */
const contextOf = (namespace: readonly string[]): string => namespace.join(':')

/** The namespace of a context. */
const namespaceOf = (context: string): string[] => context.split(':')

/** What `put` remembers. @param fields the paths that are searched, unless the operation has its own */
async function toInput(
  { namespace, key, value, index }: PutOperation,
  fields: readonly string[],
): Promise<RememberInput> {
  const json = JSON.stringify(value)
  const short: ItemMetadata = { namespace, key, indexed: index !== false }
  const whole: ItemMetadata = { ...short, value: json }
  const fits = bytes(JSON.stringify({ [ITEM]: whole })) <= METADATA_BYTES
  const text = index === false ? '' : searchedText(value, index ?? fields)
  return {
    // A memory has a text, so one with nothing to search for has its key.
    content: { insight: { key, content: fits ? text || key : json } },
    context: contextOf(namespace),
    labels: await labelsOf(namespace, key),
    metadata: { [ITEM]: fits ? whole : short },
    onExisting: 'REVISE',
  }
}

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** An item as it was put. */
interface StoredItem extends Item {
  readonly indexed: boolean
}

/** The item of a memory; null if it is none. */
function toItem({ metadata, content, createdAt, updatedAt }: Memory): StoredItem | null {
  const item = metadata[ITEM] as Partial<ItemMetadata> | undefined
  if (item?.namespace === undefined || item.key === undefined) return null
  const json = item.value ?? content.insight?.content
  const value = json === undefined ? null : parsed(json)
  if (value === null) return null
  return {
    value,
    key: item.key,
    namespace: [...item.namespace],
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    indexed: item.indexed !== false,
  }
}

/** Null for what somebody else has changed so that it is no value any more. */
function parsed(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

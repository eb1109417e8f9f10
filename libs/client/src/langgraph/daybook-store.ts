import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
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
import { inBatches } from './in-batches.ts'
import { contextOf, namespaceOf, type StoredItem, toInput, toItem } from './item.ts'
import { ITEM, keyLabel, namespaceLabel } from './labels.ts'
import { isWithin, matchesConditions, matchesFilter } from './matches.ts'

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

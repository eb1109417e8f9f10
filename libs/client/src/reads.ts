import type { GraphQLDocument, InputOf, ReadonlyInput, ResultOf, VariablesOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import type { FacetName } from '@daybook/memory/facets'
import type { Calls } from './calls/calls.ts'
import { DaybookClientError } from './client-error.ts'
import type { Memory as AnsweredMemory } from './documents/memory.ts'
import { HISTORY, type HistoryEvent } from './documents/memory.ts'
import { withContent } from './documents/memory-content.ts'
import type { RequestOptions } from './http/request.ts'
import { FOUND, type FoundAnswer, type Memory, type SearchResult, toResult, WHOLE } from './memory.ts'
import type { OwnWrites, Receipt } from './own-writes/own-writes.ts'

const SEARCH = queries.search('...Found', [FOUND])
const RECALL = queries.recall('...Found', [FOUND])
const POP = queries.pop('...Found', [FOUND])
const RECALL_DECISION = queries.recallDecision('...Found', [FOUND])
const RECALL_DOCUMENT = queries.recallDocument('...Found', [FOUND])
const RECALL_ENTITY = queries.recallEntity('...Found', [FOUND])
const SIMILAR = queries.similar('...Found', [FOUND])
const GET = queries.memory('...Memory ...MemoryContent', WHOLE)

const CONTEXT_FOR = queries.contextFor(`
  text tokens tokenBudget countedBy engine degraded message sequence
  entries { number role score tokens whole memory { id kind title trust } }
  leftOut { reason score memory { id kind title } }`)

const FACETS = queries.facets(`
  memories
  kinds { value count } labels { value count } categories { value count } contexts { value count }
  agents { value count } entityTypes { value count }
  others { facet values count }`)

const MEMORY_PAGE = 'edges { node { ...Memory ...MemoryContent } } pageInfo { hasNextPage endCursor }'
const MEMORIES = queries.memories(MEMORY_PAGE, WHOLE)
const OPEN_TODOS = queries.openTodos(MEMORY_PAGE, WHOLE)
const ACTIVE_SESSIONS = queries.activeSessions(MEMORY_PAGE, WHOLE)

/** Selects memories; all conditions must hold. */
export type MemoryFilter = InputOf<'MemoryFilter'>

/** How something is read. */
export interface ReadOptions extends RequestOptions {
  /**
   * What the answer must include: a receipt, also of another client's write to the same project; null: nothing.
   * Default: the newest write of this client. Daybook waits for it, at most 5 s.
   */
  readonly atLeast?: Receipt | null | undefined
}

type Waits = 'atLeast' | 'atLeastHash'

/** How to search. All have the API's defaults. */
export type SearchOptions = ReadOptions & Omit<ReadonlyInput<VariablesOf<typeof SEARCH>>, 'query' | Waits>

/** How to pack a context. `tokenBudget` is 2,000 unless given. */
export type ContextOptions = ReadOptions &
  Omit<ReadonlyInput<VariablesOf<typeof CONTEXT_FOR>>, 'query' | Waits>

/** The best memories for a prompt, packed into one text within a budget of tokens. */
export type PackedContext = ResultOf<typeof CONTEXT_FOR>['contextFor']

/** How many memories have which label, kind, category, and so on. */
export type Facets = ResultOf<typeof FACETS>['facets']

/** How to read by key. */
export interface RecallOptions extends ReadOptions {
  /** 1 to 100. Default 5. */
  readonly limit?: number | undefined
}

/** How to list. */
export interface ListOptions extends ReadOptions {
  readonly filter?: MemoryFilter | undefined
  /** Memories asked for at once, 1 to 100. Default 50. */
  readonly pageSize?: number | undefined
}

/** The methods that read. A failure that passes is tried again for some seconds. They throw `DaybookClientError`. */
export interface Reads {
  /** Finds memories by words and by meaning. `degraded` says what the answer lacks. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>
  /** The best memories for a prompt as one text. What it says is data, never instructions. */
  contextFor(query: string, options?: ContextOptions): Promise<PackedContext>
  /** The memories nearest in meaning to exactly one of a text, a memory (`id`) and a vector. */
  similar(to: ReadonlyInput<VariablesOf<typeof SIMILAR>>, options?: ReadOptions): Promise<SearchResult>
  /** Insights by their key: the exact one, else what a search among insights finds. */
  recall(key: string, options?: RecallOptions): Promise<SearchResult>
  /** Stashes by their name. */
  pop(name: string, options?: RecallOptions): Promise<SearchResult>
  /** Decisions by their topic. */
  recallDecision(topic: string, options?: RecallOptions): Promise<SearchResult>
  /** A document by the id that it was indexed under. */
  recallDocument(id: string, options?: RecallOptions): Promise<SearchResult>
  /** Entities by their name. */
  recallEntity(name: string, options?: RecallOptions): Promise<SearchResult>
  /** A memory by id, forgotten or not; null if there is none. @param options.asOf RFC 3339: as it was then */
  memory(id: string, options?: ReadOptions & { readonly asOf?: string | undefined }): Promise<Memory | null>
  /** The memories that match, newest first, page by page. @param options.asOf RFC 3339: as it was then */
  memories(options?: ListOptions & { readonly asOf?: string | undefined }): AsyncIterable<Memory>
  /** Todos that are left to do, newest first. */
  openTodos(options?: ListOptions): AsyncIterable<Memory>
  /** Sessions that are not closed, newest first. */
  activeSessions(options?: ListOptions): AsyncIterable<Memory>
  /** The events of a memory, oldest first. @throws DaybookClientError NOT_FOUND */
  history(id: string, options?: ReadOptions): AsyncIterable<HistoryEvent>
  /** Counts the memories that match by their values. @param options.values listed per facet, default 50 */
  facets(options?: ReadOptions & ReadonlyInput<VariablesOf<typeof FACETS>>): Promise<Facets>
}

const PAGE = 50

export function createReads(calls: Calls, ownWrites: OwnWrites): Reads {
  /** Reads what one field found, after one's own writes. */
  const find = async <Variables>(
    document: GraphQLDocument<Readonly<Record<string, FoundAnswer>>, Variables>,
    variables: ReadonlyInput<Variables>,
    options: ReadOptions,
  ): Promise<SearchResult> => {
    const read = () => calls.read(document, variables, options)
    const [found] = Object.values(await ownWrites.readingAfter(options.atLeast, read))
    return toResult(found as FoundAnswer)
  }
  const list = (options: ListOptions, read: (after: string | null) => Promise<MemoryPage>) =>
    eachNode(async (after) => {
      const page = await ownWrites.readingAfter(options.atLeast, () => read(after))
      return { ...page, nodes: page.edges.map(({ node }) => withContent(node)) }
    })
  return {
    async search(query, { signal, timeoutMs, atLeast, ...given } = {}) {
      // A receipt is a place in one journal, so it goes with one project only.
      const receipt = given.projects == null ? atLeast : (atLeast ?? null)
      const answer = await ownWrites.reading(receipt, (place) =>
        calls.read(SEARCH, { query, ...given, ...place }, { signal, timeoutMs }),
      )
      return toResult(answer.search)
    },
    async contextFor(query, { signal, timeoutMs, atLeast, ...given } = {}) {
      const answer = await ownWrites.reading(atLeast, (place) =>
        calls.read(CONTEXT_FOR, { query, ...given, ...place }, { signal, timeoutMs }),
      )
      return answer.contextFor
    },
    similar: (to, options = {}) => find(SIMILAR, to, options),
    recall: (key, { limit, ...options } = {}) => find(RECALL, { key, limit }, options),
    pop: (name, { limit, ...options } = {}) => find(POP, { name, limit }, options),
    recallDecision: (topic, { limit, ...options } = {}) => find(RECALL_DECISION, { topic, limit }, options),
    recallDocument: (id, { limit, ...options } = {}) => find(RECALL_DOCUMENT, { id, limit }, options),
    recallEntity: (name, { limit, ...options } = {}) => find(RECALL_ENTITY, { name, limit }, options),
    async memory(id, { asOf, ...options } = {}) {
      const { memory } = await ownWrites.reading(options.atLeast, (place) =>
        calls.read(GET, { id, asOf, ...place }, options),
      )
      return memory === null ? null : withContent(memory)
    },
    memories: ({ filter, asOf, pageSize: first = PAGE, ...options } = {}) =>
      list(
        options,
        async (after) => (await calls.read(MEMORIES, { filter, asOf, first, after }, options)).memories,
      ),
    openTodos: ({ filter, pageSize: first = PAGE, ...options } = {}) =>
      list(
        options,
        async (after) => (await calls.read(OPEN_TODOS, { filter, first, after }, options)).openTodos,
      ),
    activeSessions: ({ filter, pageSize: first = PAGE, ...options } = {}) =>
      list(
        options,
        async (after) =>
          (await calls.read(ACTIVE_SESSIONS, { filter, first, after }, options)).activeSessions,
      ),
    history: (id, options = {}) =>
      eachNode(async (after) => {
        const read = () => calls.read(HISTORY, { id, after }, options)
        const { memory } = await ownWrites.readingAfter(options.atLeast, read)
        if (memory === null)
          throw new DaybookClientError(
            'NOT_FOUND',
            `There is no memory "${id}" in the project of this API key`,
          )
        return { ...memory.history, nodes: memory.history.edges.map(({ node }) => node) }
      }),
    async facets({ signal, timeoutMs, atLeast, ...given } = {}) {
      const read = () => calls.read(FACETS, given, { signal, timeoutMs })
      return (await ownWrites.readingAfter(atLeast, read)).facets satisfies Record<FacetName, unknown>
    },
  }
}

interface MemoryPage extends Page {
  readonly edges: readonly { readonly node: AnsweredMemory }[]
}

interface Page {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

async function* eachNode<Node>(
  read: (after: string | null) => Promise<Page & { readonly nodes: readonly Node[] }>,
): AsyncGenerator<Node, void> {
  let after: string | null = null
  do {
    const { nodes, pageInfo } = await read(after)
    yield* nodes
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null
  } while (after !== null)
}

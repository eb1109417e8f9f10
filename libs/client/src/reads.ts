import type { GraphQLDocument, InputOf, ReadonlyInput, ResultOf, VariablesOf } from '@daybook/api/graphql'
import type { Calls } from './calls/calls.ts'
import { DaybookClientError } from './client-error.ts'
import type { Memory as AnsweredMemory } from './documents/memory.ts'
import { HISTORY, type HistoryEvent } from './documents/memory.ts'
import {
  ACTIVE_SESSIONS,
  CONTEXT_FOR,
  FACETS,
  type FOUND,
  GET,
  MEMORIES,
  OPEN_TODOS,
  POP,
  RECALL,
  RECALL_DECISION,
  RECALL_DOCUMENT,
  RECALL_ENTITY,
  SEARCH,
  SIMILAR,
} from './documents/reads.ts'
import type { RequestOptions } from './http/request.ts'
import { type Memory, type SearchResult, toMemory, toResult } from './memory.ts'
import type { OwnWrites, Receipt } from './own-writes/own-writes.ts'

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

type RecallDocument = GraphQLDocument<{ found: ResultOf<typeof FOUND> }, VariablesOf<typeof RECALL>>

export function createReads(calls: Calls, ownWrites: OwnWrites): Reads {
  const byKey =
    (document: RecallDocument) =>
    async (key: string, { limit, ...options }: RecallOptions = {}): Promise<SearchResult> => {
      const read = () => calls.read(document, { key, limit }, options)
      return toResult((await ownWrites.readingAfter(options.atLeast, read)).found)
    }
  const list = (options: ListOptions, read: (after: string | null) => Promise<MemoryPage>) =>
    eachNode(async (after) => {
      const page = await ownWrites.readingAfter(options.atLeast, () => read(after))
      return { ...page, nodes: page.edges.map(({ node }) => toMemory(node)) }
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
    async similar(to, options = {}) {
      const read = () => calls.read(SIMILAR, to, options)
      return toResult((await ownWrites.readingAfter(options.atLeast, read)).similar)
    },
    recall: byKey(RECALL),
    pop: byKey(POP),
    recallDecision: byKey(RECALL_DECISION),
    recallDocument: byKey(RECALL_DOCUMENT),
    recallEntity: byKey(RECALL_ENTITY),
    async memory(id, { asOf, ...options } = {}) {
      const { memory } = await ownWrites.reading(options.atLeast, (place) =>
        calls.read(GET, { id, asOf, ...place }, options),
      )
      return memory === null ? null : toMemory(memory)
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
      return (await ownWrites.readingAfter(atLeast, read)).facets
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

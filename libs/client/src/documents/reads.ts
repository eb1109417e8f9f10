import { graphql } from '@daybook/api/graphql'
import { MEMORY } from './memory.ts'
import { memoryContent } from './memory-content.ts'

const CONTENT = memoryContent()

/** What a search found. */
export const FOUND = graphql(
  `fragment Found on SearchResult {
    hits { score matchType snippet version project { id name } memory { ...Memory ...MemoryContent } }
    matchType engine degraded message sequence text
  }`,
  [MEMORY, CONTENT],
)

export const SEARCH = graphql(
  `query Search(
    $query: String!, $filter: MemoryFilter, $mode: SearchMode, $limit: Int, $minScore: Float, $floor: Boolean,
    $ranking: RankingMethod, $weights: RankingWeights, $engine: SearchEngine, $asOf: DateTime, $acrossVersions: Boolean,
    $projects: [String!], $atLeast: Int, $atLeastHash: String
  ) {
    search(
      query: $query, filter: $filter, mode: $mode, limit: $limit, minScore: $minScore, floor: $floor,
      ranking: $ranking, weights: $weights, engine: $engine, asOf: $asOf, acrossVersions: $acrossVersions,
      projects: $projects, atLeast: $atLeast, atLeastHash: $atLeastHash
    ) { ...Found }
  }`,
  [FOUND],
)

export const RECALL = graphql(
  'query Recall($key: String!, $limit: Int) { found: recall(key: $key, limit: $limit) { ...Found } }',
  [FOUND],
)
export const POP = graphql(
  'query Pop($key: String!, $limit: Int) { found: pop(name: $key, limit: $limit) { ...Found } }',
  [FOUND],
)
export const RECALL_DECISION = graphql(
  'query RecallDecision($key: String!, $limit: Int) { found: recallDecision(topic: $key, limit: $limit) { ...Found } }',
  [FOUND],
)
export const RECALL_DOCUMENT = graphql(
  'query RecallDocument($key: String!, $limit: Int) { found: recallDocument(id: $key, limit: $limit) { ...Found } }',
  [FOUND],
)
export const RECALL_ENTITY = graphql(
  'query RecallEntity($key: String!, $limit: Int) { found: recallEntity(name: $key, limit: $limit) { ...Found } }',
  [FOUND],
)

export const SIMILAR = graphql(
  `query Similar($text: String, $id: ID, $vector: [Float!], $topK: Int, $filter: MemoryFilter) {
    found: similar(text: $text, id: $id, vector: $vector, topK: $topK, filter: $filter) { ...Found }
  }`,
  [FOUND],
)

export const GET = graphql(
  `query Memory($id: ID!, $asOf: DateTime, $atLeast: Int, $atLeastHash: String) {
    memory(id: $id, asOf: $asOf, atLeast: $atLeast, atLeastHash: $atLeastHash) { ...Memory ...MemoryContent }
  }`,
  [MEMORY, CONTENT],
)

export const CONTEXT_FOR = graphql(
  `query ContextFor(
    $query: String!, $filter: MemoryFilter, $tokenBudget: Int, $order: ContextOrder, $minScore: Float,
    $atLeast: Int, $atLeastHash: String
  ) {
    context: contextFor(
      query: $query, filter: $filter, tokenBudget: $tokenBudget, order: $order, minScore: $minScore,
      atLeast: $atLeast, atLeastHash: $atLeastHash
    ) {
      text tokens tokenBudget countedBy engine degraded message sequence
      entries { number role score tokens whole memory { id kind title trust } }
      leftOut { reason score memory { id kind title } }
    }
  }`,
)

export const FACETS = graphql(`
  query Facets($filter: MemoryFilter, $values: Int, $asOf: DateTime) {
    facets(filter: $filter, values: $values, asOf: $asOf) {
      memories
      kinds { value count } labels { value count } categories { value count } contexts { value count }
      agents { value count } entityTypes { value count }
      others { facet values count }
    }
  }`)

export const MEMORIES = graphql(
  `query Memories($filter: MemoryFilter, $asOf: DateTime, $first: Int, $after: String) {
    page: memories(filter: $filter, asOf: $asOf, first: $first, after: $after) {
      edges { node { ...Memory ...MemoryContent } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  [MEMORY, CONTENT],
)

export const OPEN_TODOS = graphql(
  `query OpenTodos($filter: MemoryFilter, $first: Int, $after: String) {
    page: openTodos(filter: $filter, first: $first, after: $after) {
      edges { node { ...Memory ...MemoryContent } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  [MEMORY, CONTENT],
)

export const ACTIVE_SESSIONS = graphql(
  `query ActiveSessions($filter: MemoryFilter, $first: Int, $after: String) {
    page: activeSessions(filter: $filter, first: $first, after: $after) {
      edges { node { ...Memory ...MemoryContent } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  [MEMORY, CONTENT],
)

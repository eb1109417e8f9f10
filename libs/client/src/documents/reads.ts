import { graphql } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
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

export const SEARCH = queries.search('...Found', [FOUND])

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

export const SIMILAR = queries.similar('...Found', [FOUND])

export const GET = queries.memory('...Memory ...MemoryContent', [MEMORY, CONTENT])

export const CONTEXT_FOR = queries.contextFor(`
  text tokens tokenBudget countedBy engine degraded message sequence
  entries { number role score tokens whole memory { id kind title trust } }
  leftOut { reason score memory { id kind title } }`)

export const FACETS = queries.facets(`
  memories
  kinds { value count } labels { value count } categories { value count } contexts { value count }
  agents { value count } entityTypes { value count }
  others { facet values count }`)

const PAGE = 'edges { node { ...Memory ...MemoryContent } } pageInfo { hasNextPage endCursor }'

export const MEMORIES = queries.memories(PAGE, [MEMORY, CONTENT])

export const OPEN_TODOS = queries.openTodos(PAGE, [MEMORY, CONTENT])

export const ACTIVE_SESSIONS = queries.activeSessions(PAGE, [MEMORY, CONTENT])

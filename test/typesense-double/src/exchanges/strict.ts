import type { Scenario } from '../server/scenarios.ts'

const TEXT = { name: 'text', type: 'string', optional: true }
const NUMBER = { name: 'importance', type: 'int32' }
const VECTOR = { name: 'embedding', type: 'float[]', num_dim: 3, optional: true }

const schema = (...fields: readonly unknown[]): Scenario => ({
  schema: { name: 'COLLECTION', fields },
  imports: [],
  searches: [],
})
const whole = (more: Readonly<Record<string, unknown>>): Scenario => ({
  schema: { name: 'COLLECTION', fields: [TEXT], ...more },
  imports: [],
  searches: [],
})
const lines = (action: string, ...documents: readonly unknown[]) => ({
  action,
  lines: documents.map((document) => JSON.stringify(document)),
})
const asked = (...searches: readonly Readonly<Record<string, unknown>>[]): Scenario => ({
  schema: { name: 'COLLECTION', fields: [TEXT, NUMBER, VECTOR, { ...TEXT, name: 'shown', index: false }] },
  imports: [lines('upsert', { id: '1', text: 'login', importance: 1, embedding: [1, 0, 0] })],
  searches: searches.map((search) => ({ q: '*', include_fields: 'id', ...search })),
})

/**
 * Requests that the double once accepted but the real server refuses, or refuses with another message.
 * `record.ts` records the answers.
 */
export const STRICT: Readonly<Record<string, Scenario>> = {
  'separators of several bytes': schema({ ...TEXT, token_separators: ['-', '“'] }),
  'symbols of several bytes': schema({ ...TEXT, symbols_to_index: ['—'] }),
  'two separators in one': schema({ ...TEXT, token_separators: ['--'] }),
  'separators of a whole collection': whole({ token_separators: ['…'] }),
  'separators that are no list': whole({ token_separators: '-' }),
  'metadata that are no object': whole({ metadata: 5 }),
  'a sorting field that may be missing': {
    ...whole({ default_sorting_field: 'importance' }),
    schema: {
      name: 'COLLECTION',
      fields: [{ ...NUMBER, optional: true }],
      default_sorting_field: 'importance',
    },
  },
  'a field that is no object': schema(5),
  'a flag that is no boolean': schema({ ...TEXT, facet: 'yes' }),
  'a facet that is not indexed': schema({ ...TEXT, index: false, facet: true }),
  'two fields of one name': schema(TEXT, TEXT),
  'a stemmed number': schema({ ...NUMBER, stem: true }),
  'a distance that there is not': schema({ ...VECTOR, vec_dist: 'euclid' }),
  'dimensions below 0': schema({ ...VECTOR, num_dim: -1 }),
  'a graph of no links': schema({ ...VECTOR, hnsw_params: { M: 0 } }),
  'documents that do not fit': {
    schema: { name: 'COLLECTION', fields: [TEXT, NUMBER, VECTOR] },
    imports: [
      lines(
        'upsert',
        { id: '', importance: 1 },
        { id: 5, importance: 1 },
        { id: '1', importance: '1' },
        { id: '2', importance: 1, text: 5 },
        { id: '3', importance: 1, embedding: 5 },
        { id: '4', importance: 1, embedding: [1, 2] },
        { id: '5', importance: 1, embedding: [1, 'a', 3] },
        { id: '6' },
        { id: '7', importance: 1 },
      ),
      lines('update', { importance: 2 }, { id: '7', text: 'only this' }, { id: '8', text: 'nobody' }),
    ],
    searches: [],
  },
  'filters that cannot be read': asked(
    ...['importance:x', 'importance', 'embedding:=1', 'nofield:=1', '()', 'importance:'].map((filter_by) => ({
      filter_by,
    })),
  ),
  'searches that cannot be done': asked(
    { q: 'login' },
    { q: 'login', query_by: 'shown' },
    { q: 'login', query_by: 'text', num_typos: 'x' },
    { sort_by: 'importance' },
    { sort_by: 'importance:up' },
    { per_page: 251 },
  ),
  'vectors that cannot be read': asked(
    ...[
      'embedding',
      'embedding:[1,0,0]',
      'embedding:([1,0,x])',
      'embedding:([1,0,0], k:x)',
      'embedding:([1,0,0], ef:0)',
      'embedding:([1,0,0], distance_threshold:3)',
      'nofield:([1,0,0], distance_threshold:1)',
    ].map((vector_query) => ({ vector_query })),
  ),
}

import * as fc from 'fast-check'

/**
 * Requests that two servers answer side by side. `COLLECTION` stands for the collection's name. The
 * generators avoid what our client never sends and the double does differently from the server:
 *
 * - queries of several words with dropped ones, phrases, empty queries, nulls
 * - numbers beyond an int32, which wrap around in the server's index
 * - filters with a `*`, or with texts without words
 * - fewer vectors asked for than there are: among equals, the server's graph chooses
 * - a number of more than 64 bits in a filter, which the server never answers
 */
export interface Scenario {
  readonly schema: unknown
  readonly imports: readonly { readonly action: string; readonly lines: readonly string[] }[]
  readonly searches: readonly Readonly<Record<string, unknown>>[]
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Mostly the right value, sometimes a near miss. */
const mostly = <T, U>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<U>, weight = 40): fc.Arbitrary<T | U> =>
  fc.oneof({ weight, arbitrary: right }, { weight: 1, arbitrary: wrong })

/** Fields like those of our schema, by name, with values that fit. */
const FIELDS: Record<string, { field: Record<string, Json>; value: fc.Arbitrary<Json> }> = {
  project_id: { field: { type: 'string', facet: true }, value: fc.constantFrom('p1', 'p2') },
  kind: {
    field: { type: 'string', facet: true, optional: true },
    value: fc.constantFrom('note', 'to do', 'x-ray'),
  },
  labels: {
    field: { type: 'string[]', facet: true },
    value: fc.array(fc.constantFrom('red', 'dark red', 'C++', 'été', 'a,b'), { maxLength: 3 }),
  },
  importance: { field: { type: 'int32' }, value: fc.integer({ min: -2, max: 5 }) },
  at: {
    field: { type: 'int64', optional: true },
    value: fc.integer({ min: -1_000, max: 1_767_225_600_000 }),
  },
  score: { field: { type: 'float', optional: true }, value: fc.constantFrom(0.5, 1, -2.25) },
  forgotten: { field: { type: 'bool' }, value: fc.boolean() },
  title: {
    field: { type: 'string', index: false, optional: true },
    value: fc.constantFrom('A title', '“quoted”'),
  },
  lexemes: {
    field: { type: 'string', optional: true },
    value: fc
      .array(fc.constantFrom('login', 'token', 'zz12ab', '8', 'logic', 'may', 'basketball'), { maxLength: 6 })
      .map((words) => words.join(' ')),
  },
  text: {
    field: { type: 'string', optional: true, stem: true },
    value: fc
      .array(
        fc.constantFrom('Running', 'the', 'login', 'logins', 'x-ray', 'été', 'straße', '“quoted”', "it's"),
        {
          maxLength: 5,
        },
      )
      .map((words) => words.join(' ')),
  },
  embedding: {
    field: { type: 'float[]', num_dim: 3, optional: true, vec_dist: 'cosine' },
    value: fc.constantFrom([1, 0, 0], [0.6, 0.8, 0], [0, 0.1, 0.99], [-1, 0.2, 0.3]),
  },
}
const NAMES = Object.keys(FIELDS)

/** Properties of a field that the server may refuse, and some that it accepts. */
const strangeProperty: fc.Arbitrary<Record<string, Json>> = fc.constantFrom<Record<string, Json>[]>(
  { type: 'text' },
  { type: 5 },
  { facet: 'yes' },
  { optional: 1 },
  { index: 'no' },
  { sort: 1 },
  { sort: true },
  { store: 'x' },
  { infix: 'x' },
  { locale: 'eng' },
  { locale: 5 },
  { stem: 'x' },
  { stem: true },
  { num_dim: 0 },
  { num_dim: -1 },
  { num_dim: '3' },
  { vec_dist: 'euclid' },
  { vec_dist: 5 },
  { vec_dist: 'ip' },
  { hnsw_params: 5 },
  { hnsw_params: { M: 0 } },
  { hnsw_params: { ef_construction: 0 } },
  { hnsw_params: { M: 8 } },
  { token_separators: ['“'] },
  { token_separators: ['--'] },
  { token_separators: [5] },
  { token_separators: ['-', "'"] },
  { token_separators: [''] },
  { symbols_to_index: ['—'] },
  { symbols_to_index: ['+', '-'] },
  { symbols_to_index: [''] },
  { drop: true },
  { range_index: 5 },
  { range_index: true },
  { reference: 5 },
  { name: 5 },
  { optional: false },
  { facet: true },
  { index: false, facet: true },
)

const field = (name: string) =>
  fc
    .oneof({ weight: 60, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: strangeProperty })
    .map((strange) => ({ name, ...FIELDS[name]?.field, ...strange }))

const strangeSchema: fc.Arbitrary<Record<string, Json>> = fc.constantFrom<Record<string, Json>[]>(
  { fields: [] },
  { fields: 'x' },
  { fields: [5] },
  { fields: [{ name: 'a' }] },
  { name: '' },
  { name: 5 },
  { metadata: 5 },
  { metadata: { layout: 2 } },
  { default_sorting_field: 'nothing' },
  { default_sorting_field: 'importance' },
  { default_sorting_field: 'project_id' },
  { default_sorting_field: 'at' },
  { default_sorting_field: 'id' },
  { default_sorting_field: 5 },
  { token_separators: ['“'] },
  { token_separators: '-' },
  { token_separators: ['-'] },
  { symbols_to_index: ['…'] },
  { symbols_to_index: '+' },
  { symbols_to_index: ['+'] },
  { enable_nested_fields: 'x' },
)

const schema = fc
  .tuple(
    mostly(fc.constant(NAMES), fc.subarray(NAMES, { minLength: 1 }), 4),
    fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: strangeSchema }),
  )
  .chain(([names, strange]) =>
    fc.tuple(...names.map(field)).map((fields) => ({ name: 'COLLECTION', fields, ...strange })),
  )

const strangeValue: fc.Arbitrary<Json | undefined> = fc.constantFrom<(Json | undefined)[]>(
  undefined,
  5,
  -5.5,
  true,
  'text',
  '',
  '12',
  [],
  ['a'],
  [1, 2],
  [1, 'a', 3],
  {},
  '\u0000',
)

/**
 * At most one value is strange. Of several wrong values the server reports the one that comes first in its
 * hash table.
 */
const document = fc
  .tuple(
    fc.record({
      id: mostly(
        fc.constantFrom('1', '2', '3', '4', '5', '6'),
        fc.constantFrom<Json[]>(5, '', null, 'a b', [1]),
        60,
      ),
      ...Object.fromEntries(NAMES.map((name) => [name, FIELDS[name]?.value ?? fc.constant(null)])),
    }),
    fc.option(fc.tuple(fc.constantFrom(...NAMES), strangeValue), { freq: 3 }),
  )
  .map(([right, strange]) =>
    JSON.stringify(strange === null ? right : { ...right, [strange[0]]: strange[1] }),
  )

/** One field of a document that may exist, as vectors are added later, and near misses. */
const part = fc
  .tuple(fc.constantFrom('1', '2', '7'), fc.constantFrom(...NAMES))
  .chain(([id, name]) =>
    mostly(FIELDS[name]?.value ?? fc.constant(null), strangeValue, 3).map((value) =>
      JSON.stringify({ id, [name]: value }),
    ),
  )

const strangeLine = fc.constantFrom('{"id": "9"', '[]', '5', 'null', '"text"', '{"id":"9",}')

/**
 * Each document appears once in an import, as our client sends it. If it appears several times, the server
 * keeps words that the last one no longer has.
 */
const linesOf = (line: fc.Arbitrary<string>, maxLength: number) =>
  fc.uniqueArray(line, {
    minLength: 1,
    maxLength,
    selector: (text) => /"id":("?[^,"}]*)/.exec(text)?.[1] ?? text,
  })

const imports = fc.tuple(
  fc.record({
    action: mostly(fc.constant('upsert'), fc.constantFrom('create', 'emplace'), 4),
    lines: linesOf(mostly(document, strangeLine), 7),
  }),
  fc.oneof(
    fc.record({
      action: fc.constant('update'),
      lines: linesOf(mostly(part, strangeLine), 2),
    }),
    fc.record({
      action: fc.constantFrom('upsert', 'emplace'),
      lines: linesOf(document, 2),
    }),
  ),
)

/** Conditions like those of `libs/engines/typesense/src/search/filter.ts`, and near misses. */
const condition = mostly(
  fc.constantFrom(
    'project_id:=`p1`',
    'forgotten:=false',
    'forgotten:=true',
    'kind:=[`note`,`to do`]',
    'kind:=[`x-ray`]',
    'labels:=[`red`]',
    'labels:=[`dark red`,`C++`]',
    'labels:=[`été`]',
    'importance:>=1',
    'importance:<=3',
    'at:>=1000',
    'at:<=-1',
    'id:=[1,2]',
    'id:=1',
  ),
  fc.constantFrom(
    'nofield:=1',
    'importance:>=1.5',
    'importance:x',
    'importance:',
    'importance',
    'at:>=x',
    'score:>0.5',
    'score:=1',
    'score:x',
    'forgotten:=yes',
    'forgotten:=',
    'forgotten:!=true',
    'forgotten:[true,false]',
    'project_id:=',
    'project_id:',
    'project_id:p1',
    'project_id:!=p1',
    'project_id:!=`p1`',
    'project_id:=p',
    'labels:=[]',
    'labels:red',
    'labels:=red',
    'labels:!=[`red`,`C++`]',
    'embedding:=1',
    'importance:[1,2]',
    'importance:=[1..3]',
    'importance:[1..3]',
    'importance:!=1',
    'importance:!=[1,2]',
    'id:1',
    'id:!=1',
    '(project_id:=p1',
    'project_id:=p1)',
    'project_id:=p1 &&',
    '&& project_id:=p1',
    'project_id:=p1 || ',
    'project_id:=p1 project_id:=p2',
    'project_id:=[`p1`',
    'project_id=p1',
    '()',
    ' ',
  ),
  8,
)
const filter = fc
  .tuple(condition, fc.array(fc.tuple(fc.constantFrom(' && ', ' && ', ' || '), condition), { maxLength: 2 }))
  .map(([first, rest]): string => rest.reduce<string>((all, [operator, one]) => all + operator + one, first))

const strangeParameter: fc.Arbitrary<Record<string, Json>> = fc.constantFrom<Record<string, Json>[]>(
  { query_by: 'nofield' },
  { query_by: 'importance' },
  { query_by: 'title' },
  { query_by: '' },
  { per_page: 251 },
  { per_page: -1 },
  { per_page: 'x' },
  { per_page: 2 },
  { page: 2, per_page: 2 },
  { page: 0 },
  { page: -1 },
  { page: 'x' },
  { num_typos: 2 },
  { num_typos: 3 },
  { num_typos: -1 },
  { num_typos: 'x' },
  { prefix: 'maybe' },
  { prefix: true },
  { drop_tokens_threshold: 'x' },
  { sort_by: 'importance:asc' },
  { sort_by: 'importance:up' },
  { sort_by: 'importance' },
  { sort_by: 'nofield:asc' },
  { sort_by: 'title:asc' },
  { sort_by: 'at:desc,importance:asc' },
  { sort_by: 'kind:asc' },
  { include_fields: 'importance,id' },
  { include_fields: 'nofield' },
  { exclude_fields: 'embedding,text' },
  { split_join_tokens: 'maybe' },
  { collection: 'nowhere' },
  { facet_by: 'kind' },
  { facet_by: 'importance' },
  { facet_by: 'nofield' },
  { facet_by: 'kind', max_facet_values: 1 },
  { facet_by: 'labels,kind', facet_strategy: 'exhaustive' },
  { facet_by: 'kind', facet_strategy: 'none' },
  { facet_by: 'kind', facet_strategy: 'exhaustive,exhaustive' },
  { facet_by: 'nofield', facet_strategy: 'none' },
  { facet_by: 'kind', facet_sample_percent: 5, facet_sample_threshold: 100 },
  { facet_by: 'kind', facet_sample_percent: 50 },
  { facet_by: 'nofield', facet_sample_percent: 101 },
  { facet_sample_percent: 'x' },
  { offset: 1, per_page: 1 },
  { offset: 'x' },
)

const words = fc.record({
  q: mostly(
    fc.constantFrom('login', 'token', 'zz12ab', '8', 'may', 'running', 'nothing'),
    fc.constantFrom('*', 'x-ray', 'logn'),
    6,
  ),
  query_by: mostly(fc.constant('lexemes'), fc.constant('text'), 4),
  filter_by: filter,
  include_fields: fc.constant('id,importance'),
  highlight_fields: fc.constant('none'),
  per_page: fc.constantFrom(0, 1, 100, 250),
  num_typos: fc.constant(0),
  prefix: fc.constant(false),
  drop_tokens_threshold: fc.constant(0),
  split_join_tokens: fc.constant('off'),
})
const vector = fc.record({
  q: fc.constant('*'),
  vector_query: mostly(
    fc.constantFrom(
      'embedding:([1.00000000,0.00000000,0.00000000], k:250, ef:100)',
      'embedding:([0.10000000,-0.70000000,0.30000000], k:250, ef:100)',
      'embedding:([0.1,0.7,0.3], k:250, ef:100, distance_threshold:0.5)',
    ),
    fc.constantFrom(
      'embedding:([1,0], k:2)',
      'embedding:([1,0,x])',
      'embedding:([1,0,0], k:x)',
      'embedding:([1,0,0], k:0)',
      'embedding:([1,0,0], ef:0)',
      'embedding:([1,0,0]',
      'embedding:[1,0,0]',
      'embedding',
      'nofield:([1,0,0])',
      'importance:([1,0,0])',
      'embedding:([1,0,0], nothing:1)',
      'embedding:([1,0,0], distance_threshold:x)',
      ':([1,0,0])',
    ),
    6,
  ),
  filter_by: filter,
  include_fields: fc.constant('id,importance'),
  per_page: fc.constantFrom(0, 2, 250),
})

/**
 * When a vector search is sorted by a field, the server orders equal hits differently. Our client never sorts
 * one.
 */
const sortsByField = (one: Readonly<Record<string, Json>>) => 'sort_by' in one && one.sort_by !== 'importance'

const search = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(words, fc.option(strangeParameter, { freq: 5 }))
      .map(([one, strange]) => ({ ...one, ...strange })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        vector,
        fc.option(
          strangeParameter.filter((one) => !sortsByField(one)),
          { freq: 5 },
        ),
      )
      .map(([one, strange]) => ({ ...one, ...strange })),
  },
)

/** A schema, documents and searches, mostly like those of our client. */
export const scenario: fc.Arbitrary<Scenario> = fc.record({
  schema,
  imports,
  searches: fc.array(search, { minLength: 2, maxLength: 4 }),
})

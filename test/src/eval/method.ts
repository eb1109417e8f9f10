/** A way of searching; what is undefined is left to the API's default and not sent. */
export interface Method {
  readonly mode: Mode | undefined
  readonly engine: Engine | undefined
  readonly ranking: Ranking | undefined
}

export const MODES = ['HYBRID', 'KEYWORD', 'SEMANTIC'] as const
export const ENGINES = ['AUTO', 'POSTGRES', 'TYPESENSE'] as const
export const RANKINGS = ['DEFAULT', 'RRF'] as const
export type Mode = (typeof MODES)[number]
export type Engine = (typeof ENGINES)[number]
export type Ranking = (typeof RANKINGS)[number]

/** Every combination of what is given, in that order. Nothing given is one method: the API's default. */
export function methods(given: {
  readonly modes: readonly Mode[]
  readonly engines: readonly Engine[]
  readonly rankings: readonly Ranking[]
}): Method[] {
  const orDefault = <T>(values: readonly T[]): readonly (T | undefined)[] =>
    values.length > 0 ? values : [undefined]
  return orDefault(given.modes).flatMap((mode) =>
    orDefault(given.engines).flatMap((engine) =>
      orDefault(given.rankings).map((ranking) => ({ mode, engine, ranking })),
    ),
  )
}

/** By which reports tell methods apart: `HYBRID`, `KEYWORD TYPESENSE`, `HYBRID RRF`. What is not given is not named. */
export function nameOf({ mode = 'HYBRID', engine, ranking }: Method): string {
  return [mode, engine, ranking].filter((part) => part !== undefined).join(' ')
}

/** Whether it compares vectors. */
export const usesVectors = ({ mode }: Method) => mode !== 'KEYWORD'

/** The search as GraphQL. Enum values stand in the text, so that no type's name needs to be known. */
export function searchDocument({ mode, engine, ranking }: Method): string {
  const given = [
    ['mode', mode],
    ['engine', engine],
    ['ranking', ranking],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`, ${name}: ${value}`]))
  return `query ($query: String!, $filter: MemoryFilter, $limit: Int!) {
  search(query: $query, filter: $filter, limit: $limit${given.join('')}) {
    degraded engine hits { memory { metadata } }
  }
}`
}

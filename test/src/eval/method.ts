import type { RankingTerm } from '@daybook/search/ranking/ablation'

/** A way of searching. Undefined fields are not sent, so the API's default applies. */
export interface Method {
  readonly mode: Mode | undefined
  readonly engine: Engine | undefined
  readonly ranking: Ranking | undefined
  /** Terms of the ranking that are left out; only a daemon of the evaluation's own can. */
  readonly without: readonly RankingTerm[]
}

/** The values of `--mode`. */
export const MODES = ['HYBRID', 'KEYWORD', 'SEMANTIC'] as const
/** The values of `--engine`. */
export const ENGINES = ['AUTO', 'POSTGRES', 'TYPESENSE'] as const
/** The values of `--ranking`. */
export const RANKINGS = ['DEFAULT', 'RRF'] as const
export type Mode = (typeof MODES)[number]
export type Engine = (typeof ENGINES)[number]
export type Ranking = (typeof RANKINGS)[number]

/**
 * Every combination of the given values, in that order. Without values there is one method: the API's
 * default.
 */
export function methods(given: {
  readonly modes: readonly Mode[]
  readonly engines: readonly Engine[]
  readonly rankings: readonly Ranking[]
  /** Each asked beside the whole ranking. Default none. */
  readonly without?: readonly (readonly RankingTerm[])[]
}): Method[] {
  const orDefault = <T>(values: readonly T[]): readonly (T | undefined)[] =>
    values.length > 0 ? values : [undefined]
  return orDefault(given.modes).flatMap((mode) =>
    orDefault(given.engines).flatMap((engine) =>
      orDefault(given.rankings).flatMap((ranking) =>
        [[], ...(given.without ?? [])].map((without) => ({ mode, engine, ranking, without })),
      ),
    ),
  )
}

/**
 * The name of a method in reports: `HYBRID`, `KEYWORD TYPESENSE`, `HYBRID RRF`. Undefined fields are not
 * named.
 */
export function nameOf({ mode = 'HYBRID', engine, ranking, without }: Method): string {
  const left = without.length === 0 ? undefined : `without ${without.join('+')}`
  return [mode, engine, ranking, left].filter((part) => part !== undefined).join(' ')
}

/** Whether the method compares vectors. */
export const usesVectors = ({ mode }: Method) => mode !== 'KEYWORD'

/** The search in GraphQL. Enum values are in the text, so the query needs no type names. */
export function searchDocument({ mode, engine, ranking }: Method): string {
  const given = [
    ['mode', mode],
    ['engine', engine],
    ['ranking', ranking],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`, ${name}: ${value}`]))
  return `query ($query: String!, $filter: MemoryFilter, $limit: Int!) {
  search(query: $query, filter: $filter, limit: $limit${given.join('')}) {
    degraded engine hits { score memory { metadata } }
  }
}`
}

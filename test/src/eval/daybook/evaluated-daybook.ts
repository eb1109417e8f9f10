import type { RankingTerm } from '@daybook/search/ranking/ablation'
import type { GraphQLAnswer, GraphQLRequest } from '../../support/graphql.ts'

/** The address of a Daybook, and the key of the project to evaluate. */
export interface Address {
  readonly url: string
  readonly apiKey: string
}

/** A Daybook with a place for each group of a collection. */
export interface EvaluatedDaybook {
  /** Describes the Daybook in the report. */
  readonly description: string
  /** The place of the group's memories. */
  place(group: string): Place
  /** Leaves terms out of the ranking from now on. @throws Error if it cannot */
  rankWithout(terms: readonly RankingTerm[]): Promise<void>
  /** Stops what was started for the evaluation. */
  close(): Promise<void>
}

/** The place of a group's memories: a project, or a part of one. */
export interface Place {
  ask<Data>(request: GraphQLRequest): Promise<GraphQLAnswer<Data>>
  /** Where it is asked, for clients of its own. @throws TransportError if it has ended */
  address(): Address
  /** The category that marks the group's memories. */
  readonly category: string
  /** Whether the project holds other memories too; then searches filter by the category. */
  readonly shared: boolean
}

/** A category that marks memories of an evaluation; at most 64 characters. */
export const categoryOf = (group: string) => `${EVALUATION}${group}`.slice(0, 64)

/** The beginning of the categories of all evaluations. */
export const EVALUATION = 'eval: '

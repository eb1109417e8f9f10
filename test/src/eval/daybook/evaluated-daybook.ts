import type { GraphQLAnswer, GraphQLRequest } from '../../support/graphql.ts'

/** A Daybook with a place for each group of a collection. */
export interface EvaluatedDaybook {
  /** For the report: what was asked, and how. */
  readonly description: string
  /** Where the group's memories are, or go. */
  place(group: string): Place
  /** Ends what was started for the evaluation. */
  close(): Promise<void>
}

/** Where a group's memories are: a project, or a part of one. */
export interface Place {
  ask<Data>(request: GraphQLRequest): Promise<GraphQLAnswer<Data>>
  /** The category that the group's memories are given. */
  readonly category: string
  /** Whether others are in the project too: then searches are kept to the category. */
  readonly shared: boolean
}

/** A category that marks memories of an evaluation; at most 64 characters. */
export const categoryOf = (group: string) => `${EVALUATION}${group}`.slice(0, 64)

/** How the categories of all evaluations begin. */
export const EVALUATION = 'eval: '

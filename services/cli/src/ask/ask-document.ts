import { graphql, type ResultOf } from '@daybook/api/graphql'

/** The subscription of `daybook ask`. */
export const ASK = graphql(`
  subscription Ask($question: String!, $pipeline: AskPipeline, $language: String, $tokenBudget: Int, $filter: MemoryFilter) {
    ask(question: $question, pipeline: $pipeline, language: $language, tokenBudget: $tokenBudget, filter: $filter) {
      __typename
      ... on AskContext { context { text tokens message degraded } }
      ... on AskText { step text }
      ... on AskAnswer {
        text unknownCitations model inputTokens outputTokens
        check { passed text }
        citations { number memory { id title } }
      }
      ... on AskFailed { code message }
    }
  }`)

/** What the subscription sends. */
export type AskEvent = ResultOf<typeof ASK>['ask']
/** One type of it. */
export type AskEventOf<Type extends AskEvent['__typename']> = Extract<AskEvent, { __typename: Type }>

import { graphql, type ReadonlyInput, type ResultOf, type VariablesOf } from '@daybook/api/graphql'
import { FAILURE } from './failure.ts'

/*
 * Writes. Of the memory they ask only for what a key without the scope READ may see as well.
 */

export const REMEMBER = graphql(
  `mutation Remember($input: RememberInput!) {
    result: remember(input: $input) {
      __typename
      ... on Remembered { sequence hash duplicate outcome memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const REMEMBER_MANY = graphql(
  `mutation RememberMany($inputs: [RememberInput!]!) {
    results: rememberMany(inputs: $inputs) {
      __typename
      ... on Remembered { sequence hash duplicate outcome memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const INDEX_DOCUMENT = graphql(
  `mutation IndexDocument(
    $id: String!, $content: String!, $title: String, $context: String, $metadata: JSON, $idempotencyKey: String
  ) {
    result: indexDocument(
      id: $id, content: $content, title: $title, context: $context, metadata: $metadata, idempotencyKey: $idempotencyKey
    ) {
      __typename
      ... on Remembered { sequence hash duplicate outcome memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const REVISE = graphql(
  `mutation Revise($id: ID!, $input: ReviseInput!, $expectedVersion: Int, $idempotencyKey: String) {
    result: revise(id: $id, input: $input, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence hash duplicate memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const FORGET = graphql(
  `mutation Forget($id: ID!, $expectedVersion: Int, $idempotencyKey: String) {
    result: forget(id: $id, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Forgotten { sequence hash duplicate memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const RESTORE = graphql(
  `mutation Restore(
    $id: ID!, $version: Int, $expiresAt: DateTime, $expectedVersion: Int, $idempotencyKey: String
  ) {
    result: restore(
      id: $id, version: $version, expiresAt: $expiresAt, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey
    ) {
      __typename
      ... on Restored { sequence hash duplicate memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const RESOLVE_TODO = graphql(
  `mutation ResolveTodo($id: ID!, $expectedVersion: Int, $idempotencyKey: String) {
    result: resolveTodo(id: $id, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence hash duplicate memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const REOPEN_TODO = graphql(
  `mutation ReopenTodo($id: ID!, $expectedVersion: Int, $idempotencyKey: String) {
    result: reopenTodo(id: $id, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence hash duplicate memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const CLOSE_SESSION = graphql(
  `mutation CloseSession($id: ID!, $expectedVersion: Int, $idempotencyKey: String) {
    result: closeSession(id: $id, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence hash duplicate memory { id kind version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

export const UNDO = graphql(
  `mutation Undo(
    $since: DateTime!, $filter: MemoryFilter!, $actor: String, $correlationId: String, $writer: WriterInput,
    $everything: Boolean, $dryRun: Boolean
  ) {
    result: undo(
      since: $since, filter: $filter, actor: $actor, correlationId: $correlationId, writer: $writer,
      everything: $everything, dryRun: $dryRun
    ) {
      __typename
      ... on Undo {
        dryRun changed refused sequence operation { id }
        changes { memoryId action title fromVersion toVersion }
        refusals { memoryId title code reason }
      }
      ...Failure
    }
  }`,
  [FAILURE],
)

/** What a change of one memory answers. */
export type ChangedAnswer = ResultOf<typeof REVISE>['result']

/** What remembering answers. */
export type RememberedAnswer = ResultOf<typeof REMEMBER>['result']

/** Asks what an undo would do, without doing it. */
export const PLAN_UNDO = graphql(
  `mutation PlanUndo(
    $filter: MemoryFilter!, $since: DateTime!, $actor: String, $correlationId: String, $writer: WriterInput,
    $everything: Boolean
  ) {
    undo(
      filter: $filter, since: $since, actor: $actor, correlationId: $correlationId, writer: $writer,
      everything: $everything, dryRun: true
    ) {
      __typename
      ... on Undo {
        changed refused sequence
        changes(first: 1000) { memoryId title action happened fromVersion toVersion }
        refusals(first: 1000) { memoryId title happened code reason }
      }
      ...Failure
    }
  }`,
  [FAILURE],
)

/** What is to be undone. */
export type UndoAsked = ReadonlyInput<VariablesOf<typeof PLAN_UNDO>>

/** What an undo would do. */
export type UndoPlan = Extract<ResultOf<typeof PLAN_UNDO>['undo'], { readonly changed: number }>

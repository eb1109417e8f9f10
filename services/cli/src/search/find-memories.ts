import { type Given, type GraphQLDocument, graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import { NO_CONTENT } from '@daybook/client/documents/memory'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { invocation } from '../command.ts'
import { filterFrom } from './filter-options.ts'
import { foundFragment } from './search-document.ts'
import { showFound } from './show-found.ts'

type Content = typeof NO_CONTENT

/** The searches with a query of their own, by their names in the API. */
const DOCUMENTS = {
  searchByPerson: (content: Content) =>
    graphql(
      `query SearchByPerson($wanted: String!, $filter: MemoryFilter, $limit: Int) {
        found: searchByPerson(name: $wanted, filter: $filter, limit: $limit) { ...Found }
      }`,
      [foundFragment(content)],
    ),
  searchByEmotion: (content: Content) =>
    graphql(
      `query SearchByEmotion($wanted: String!, $filter: MemoryFilter, $limit: Int) {
        found: searchByEmotion(emotion: $wanted, filter: $filter, limit: $limit) { ...Found }
      }`,
      [foundFragment(content)],
    ),
} as const

/** Searches for a person or an emotion, and prints what was found. */
export async function findMemories(
  name: keyof typeof DOCUMENTS,
  wanted: string,
  limit: number | undefined,
  command: Command,
): Promise<void> {
  const filter: InputOf<'MemoryFilter'> = await filterFrom(command)
  await findAndShow(DOCUMENTS[name], { wanted, limit, filter }, command)
}

/** The look-ups by a key, by their names in the API. */
const BY_KEY = {
  recall: (content: Content) =>
    graphql(
      'query Recall($key: String!, $limit: Int) { found: recall(key: $key, limit: $limit) { ...Found } }',
      [foundFragment(content)],
    ),
  pop: (content: Content) =>
    graphql('query Pop($key: String!, $limit: Int) { found: pop(name: $key, limit: $limit) { ...Found } }', [
      foundFragment(content),
    ]),
} as const

/** Looks a key up exactly, else searches, and prints what was found. */
export const findByKey = (
  name: keyof typeof BY_KEY,
  key: string,
  limit: number | undefined,
  command: Command,
): Promise<void> => findAndShow(BY_KEY[name], { key, limit }, command)

async function findAndShow<Variables>(
  document: (
    content: Content,
  ) => GraphQLDocument<{ found: ResultOf<ReturnType<typeof foundFragment>> }, Variables>,
  variables: Given<Variables>,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const content = json ? await import('@daybook/client/documents/memory-content') : null
  const { found } = await request(connection, document(content?.memoryContent() ?? NO_CONTENT), variables)
  await showFound(found, content)
}

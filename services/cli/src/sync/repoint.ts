import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { safeLine } from '@daybook/memory/safe-text'
import { request } from '../client/request.ts'
import { print, printJson } from '../output/print.ts'
import { type Connection, parseUrl } from '../settings.ts'
import { readHomeKey } from './read-home-key.ts'
import { settled } from './settled.ts'
import { FOLLOWED, findFollowed } from './sync-documents.ts'

const REPOINT = graphql(
  `mutation RepointProject($id: ID!, $url: String!, $key: String!) {
    repointed: repointProject(id: $id, url: $url, key: $key) {
      __typename ... on FollowedProject { ...Followed } ...Failure
    }
  }`,
  [FOLLOWED, FAILURE],
)

/** Gives a followed project another address or key of its home, or another home. */
export async function repoint(
  given: string,
  { key: givenKey }: { readonly key?: string },
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const url = parseUrl(given)
  const { project } = await findFollowed(connection)
  const key = await readHomeKey(givenKey, process.env)
  const variables = { id: project.id, url, key }
  const { __typename: _, ...followed } = settled(
    (await request({ ...connection, project: null }, REPOINT, variables)).repointed,
  )
  if (json) return printJson({ followed })
  print(`"${safeLine(project.name)}" follows ${safeLine(followed.homeUrl)} from now on, with this key.`)
}

import { newId } from '@daybook/memory/id'
import type { TestDaemon } from '../support/daemon.ts'
import { askGraphQL, dataOf } from '../support/graphql.ts'

/** A project with a key of its own. */
export interface Tenant {
  readonly projectId: string
  readonly keyId: string
  readonly key: string
  /** Of its memories. */
  readonly ids: readonly string[]
}

interface Made {
  readonly createProject: { readonly project: { readonly id: string } }
  readonly createKey: { readonly key: string; readonly apiKey: { readonly id: string } }
}

/** Makes a project whose every text holds the marker, and a key with all scopes in it, and in no other. */
export async function createTenant(daemon: TestDaemon, marker: string): Promise<Tenant> {
  const name = `tenant-${newId()}`
  const { createProject, createKey } = dataOf(
    await daemon.graphql<Made>({
      query: `mutation ($name: String!, $keyName: String!) {
        createProject(name: $name) { ... on CreatedProject { project { id } } }
        createKey(input: { name: $keyName, projects: [$name], scopes: [READ, WRITE, ADMIN] }) {
          ... on CreatedKey { key apiKey { id } }
        }
      }`,
      variables: { name, keyName: `${marker} key` },
    }),
  )
  const common = { context: `${marker}/context`, agent: `${marker}-agent`, labels: [`${marker}-label`] }
  const { rememberMany } = await ask<{
    rememberMany: readonly { readonly sequence: number; readonly memory: { readonly id: string } }[]
  }>(
    daemon,
    createKey.key,
    `mutation ($inputs: [RememberInput!]!) {
      rememberMany(inputs: $inputs) { ... on Remembered { sequence memory { id } } }
    }`,
    {
      inputs: [
        { content: { note: { text: `a note about ${marker}` } }, ...common },
        { content: { insight: { key: `${marker}-key`, content: `an insight about ${marker}` } }, ...common },
        { content: { stash: { name: `${marker}-stash`, summary: `a summary of ${marker}` } }, ...common },
        { content: { document: { title: `${marker} title`, content: `a page of ${marker}` } }, ...common },
      ],
    },
  )
  // Whoever looks at it later compares with what is there now.
  const [last] = rememberMany.slice(-1)
  await ask(
    daemon,
    createKey.key,
    'query ($id: ID!, $atLeast: Int!) { memory(id: $id, atLeast: $atLeast) { id } }',
    {
      id: last?.memory.id,
      atLeast: last?.sequence,
    },
  )
  return {
    projectId: createProject.project.id,
    keyId: createKey.apiKey.id,
    key: createKey.key,
    ids: rememberMany.map(({ memory }) => memory.id),
  }
}

/** What the owner of a project sees of it: its journal's end and all its memories. */
export const seen = (daemon: TestDaemon, { key }: Tenant): Promise<unknown> =>
  ask(
    daemon,
    key,
    `{
      journal { sequence hash }
      memories(first: 100, filter: { includeForgotten: true }) { edges { node { id version forgottenAt title } } }
    }`,
  )

async function ask<Data>(daemon: TestDaemon, apiKey: string, query: string, variables = {}): Promise<Data> {
  return dataOf(await askGraphQL<Data>({ url: daemon.url() ?? '', apiKey }, { query, variables }))
}

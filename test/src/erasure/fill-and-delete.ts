import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '@daybook/memory/id'
import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../support/child-process.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { askGraphQL, dataOf } from '../support/graphql.ts'

const MANY = 'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }'
const WAIT_MS = HANGS_MS

/** What the tests of erased files do with a daemon. */
export function usingDaemon(daemon: TestDaemon) {
  const data = async <Data>(query: string, variables: object = {}): Promise<Data> =>
    dataOf(await daemon.graphql<Data>({ query, variables: variables as Record<string, unknown> }))

  return {
    data,
    /** Remembers as many notes with that text, in a context. @param key default the daemon's first one */
    async remember(text: string, count: number, context: string, key?: string): Promise<void> {
      const apiKey = key ?? readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
      for (let from = 0; from < count; from += 200) {
        const inputs = Array.from({ length: Math.min(200, count - from) }, (_, at) => ({
          content: { note: { text: `${text}, number ${from + at} of the harbour` } },
          context,
          labels: [text],
          // Of an erased memory it stays, so that a late retry is known.
          idempotencyKey: newId(),
          metadata: { about: text },
        }))
        const request = { query: MANY, variables: { inputs } }
        dataOf(await askGraphQL({ url: daemon.url() ?? '', apiKey }, request))
      }
    },
    /** Until search and all vectors are up to date. */
    async settled(): Promise<void> {
      for (const deadline = Date.now() + WAIT_MS; ; await pause(200)) {
        const { projections } = await data<{ projections: { lag: number; pendingEmbeddings: number }[] }>(
          '{ projections { lag pendingEmbeddings } }',
        )
        if (projections.every(({ lag, pendingEmbeddings }) => lag === 0 && pendingEmbeddings === 0)) return
        if (Date.now() > deadline) throw new Error('the projections did not catch up')
      }
    },
    /** Makes a project. @returns its id, and a key that opens it */
    async makeProject(name: string): Promise<{ id: string; key: string }> {
      const { createProject } = await data<{ createProject: { project: { id: string } } }>(
        'mutation ($name: String!) { createProject(name: $name) { ... on CreatedProject { project { id } } } }',
        { name },
      )
      const { createKey } = await data<{ createKey: { key: string } }>(
        'mutation ($name: String!) { createKey(input: { name: "k", projects: [$name], scopes: [READ, WRITE] }) { ... on CreatedKey { key } } }',
        { name },
      )
      return { id: createProject.project.id, key: createKey.key }
    },
    eraseContext: (context: string) =>
      data(
        'mutation ($context: String!) { eraseMany(filter: { context: $context }, dryRun: false) { __typename } }',
        { context },
      ),
    deleteProject: (id: string, name: string) =>
      data('mutation ($id: ID!, $name: String!) { deleteProject(id: $id, confirm: $name) { __typename } }', {
        id,
        name,
      }),
    /** Until everything of the deleted project is removed. */
    async removed(id: string): Promise<void> {
      for (const deadline = Date.now() + WAIT_MS; ; await pause(300)) {
        const { deletedProjects } = await data<{
          deletedProjects: { id: string; finishedAt: string | null; operation: { error: string | null } }[]
        }>('{ deletedProjects { id finishedAt operation { error } } }')
        const found = deletedProjects.find((one) => one.id === id)
        if (found !== undefined && found.finishedAt !== null) return
        if (Date.now() > deadline) throw new Error(`the project is not removed: ${JSON.stringify(found)}`)
      }
    },
    async reindex(projection: string): Promise<void> {
      const { begun } = await data<{ begun: { id: string } }>(
        `mutation { begun: reindex(projection: ${projection}) { ... on Operation { id } } }`,
      )
      for (const deadline = Date.now() + WAIT_MS; ; await pause(200)) {
        const { operation } = await data<{ operation: { status: string; error: string | null } }>(
          'query ($id: ID!) { operation(id: $id) { status error } }',
          begun,
        )
        if (operation.status === 'SUCCEEDED') return
        if (operation.status === 'FAILED' || Date.now() > deadline) throw new Error(JSON.stringify(operation))
      }
    },
  }
}

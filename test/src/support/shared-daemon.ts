import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@daybook/memory/id'
import { afterAll, beforeAll } from 'vitest'
import { createTestDaemon, type TestDaemon } from './daemon.ts'
import { askGraphQL, dataOf, type GraphQLAnswer, type GraphQLRequest } from './graphql.ts'

/** A project of a file's own, at a daemon that the files of a worker share, one after the other. */
export interface OwnProject {
  readonly url: string
  /** A folder with its key in `api-key`, as clients have one. The key may read, write and administer this project, and no other. */
  readonly dataDir: string
  graphql<Data>(request: GraphQLRequest): Promise<GraphQLAnswer<Data>>
}

let daemon: Promise<TestDaemon> | undefined

/** It ends with this process: a file that ends before the worker cannot know whether another one follows. */
async function startShared(): Promise<TestDaemon> {
  const started = createTestDaemon(undefined, { embedder: 'minilm' })
  await started.start()
  process.once('exit', () => rmSync(started.dataDir, { recursive: true, force: true }))
  return started
}

/** Makes a project for the calling file. It exists from the file's first test on. */
export function useOwnProject(): OwnProject {
  let url = ''
  let key = ''
  let dataDir = ''
  beforeAll(async () => {
    daemon ??= startShared()
    const shared = await daemon
    url = shared.url() ?? ''
    const name = `project-${newId()}`
    const ask = async <Data>(query: string, variables: object) =>
      dataOf(await shared.graphql<Data>({ query, variables: { ...variables } }))
    await ask('mutation ($name: String!) { createProject(name: $name) { __typename } }', { name })
    const { createKey } = await ask<{ createKey: { key: string } }>(
      'mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key } } }',
      { input: { name, projects: [name], scopes: ['READ', 'WRITE', 'ADMIN'] } },
    )
    key = createKey.key
    dataDir = mkdtempSync(join(tmpdir(), 'daybook-project-'))
    writeFileSync(join(dataDir, 'api-key'), `${key}\n`)
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
  return {
    get url() {
      return url
    },
    get dataDir() {
      return dataDir
    },
    graphql: (request) => askGraphQL({ url, apiKey: key }, request),
  }
}

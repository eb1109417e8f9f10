import {
  startTestGateway,
  type TestClient,
  type TestGateway,
  testClient,
} from '@daybook/gateway/testing/test-gateway'
import { newId } from '@daybook/memory/id'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { startSwitchingProxy } from '@daybook/postgres/testing/switching-proxy'
import type { TestDatabase, TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, expect } from 'vitest'

/** A Daybook that has a home, or follows one: gateway, projector and sync in this process, on a database of its own. */
export interface SyncNode {
  readonly database: TestDatabase
  readonly running: TestGateway
  /** Where others find it, as long as it can be reached. */
  readonly url: string
  /** A client of a project, with a key that may run the whole Daybook. */
  clientOf(projectId: string): Promise<TestClient>
  scopeOf(projectId: string): ProjectScope
  /** Cuts it off from all others, or lets them reach it again. */
  reachable(can: boolean): void
  stop(): Promise<void>
}

/** Starts a Daybook. @param embedder null: it has none */
export async function startSyncNode(start: TestDatabaseKind['start'], embedder?: null): Promise<SyncNode> {
  const database = await start()
  const proxy = await startSwitchingProxy()
  const running = await startTestGateway(database, embedder, {
    follows: true,
    environment: { DAYBOOK_ALLOWED_HOSTS: `127.0.0.1:${proxy.port}`, DAYBOOK_NEXT_HOMES: '127.0.0.1' },
  })
  const { port } = new URL(running.gateway.url)
  const open = () => proxy.route({ host: '127.0.0.1', port: Number(port) })
  open()
  return {
    database,
    running,
    url: `http://127.0.0.1:${proxy.port}`,
    scopeOf: (projectId) => projectScope(database.db, projectId),
    async clientOf(projectId) {
      const key = await asOwner(database, (owner) =>
        createApiKey(owner, projectId, `key-${newId()}`, { admin: true }),
      )
      return testClient(running.gateway.url, key, projectId)
    },
    reachable: (can) => (can ? open() : proxy.route(null)),
    async stop() {
      await proxy.stop()
      await running.stop()
      await database.stop()
    },
  }
}

/** A home and a follower for the tests of a suite. */
export interface SyncPair {
  readonly home: SyncNode
  readonly follower: SyncNode
}

/** Starts both before the tests of the surrounding suite, and stops them afterwards. Nothing is followed yet. */
export function useSyncPair(start: TestDatabaseKind['start']): SyncPair {
  const nodes: SyncNode[] = []
  beforeAll(async () => {
    for (let count = 0; count < 2; count += 1) nodes.push(await startSyncNode(start))
  })
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })
  const nodeAt = (index: number): SyncNode => {
    const node = nodes[index]
    if (node === undefined) throw new Error('the pair is not started yet')
    return node
  }
  return {
    get home() {
      return nodeAt(0)
    },
    get follower() {
      return nodeAt(1)
    },
  }
}

/** A new project at its home, and a follower with an up-to-date copy. */
export interface FollowedPair {
  readonly projectId: string
  readonly atHome: TestClient
  readonly atFollower: TestClient
}

/** Makes a project at a home and has others follow it. */
export async function followNewProject(
  home: SyncNode,
  ...followers: readonly SyncNode[]
): Promise<FollowedPair> {
  const atHome = await home.running.newClient(true)
  const { projectId } = atHome
  let atFollower = atHome
  for (const follower of followers) {
    atFollower = await follow(follower, home, atHome)
    await untilConnected(atFollower)
  }
  return { projectId, atHome, atFollower }
}

const FOLLOW = `mutation ($url: String!, $key: String!, $project: String!, $rule: ConflictRule) {
  followProject(url: $url, key: $key, project: $project, rule: $rule) {
    __typename ... on Following { tookOver again followed { state copied project { id name } } }
    ... on DaybookError { code message }
  }
}`

/** Has a follower follow a project. @returns its client of the project */
export async function follow(
  follower: SyncNode,
  home: Pick<SyncNode, 'url'>,
  { key, projectId }: Pick<TestClient, 'key' | 'projectId'>,
  rule: string | null = 'LATEST_WINS',
): Promise<TestClient> {
  const own = await follower.running.newClient(true)
  const { followProject } = await own.data(FOLLOW, { url: home.url, key, project: projectId, rule })
  if (followProject.__typename !== 'Following') throw new Error(followProject.message)
  return follower.clientOf(projectId)
}

const REPOINT = `mutation ($id: ID!, $url: String!, $key: String!) {
  repointProject(id: $id, url: $url, key: $key) { __typename ... on DaybookError { code message } } }`

/** Has a follower of a project follow another home, or with another key. */
export async function repoint(
  follower: SyncNode,
  home: Pick<SyncNode, 'url'>,
  { key, projectId }: Pick<TestClient, 'key' | 'projectId'>,
): Promise<void> {
  const client = await follower.clientOf(projectId)
  const { repointProject } = await client.data(REPOINT, { id: projectId, url: home.url, key })
  if (repointProject.__typename !== 'FollowedProject') throw new Error(repointProject.message)
}

const STATUS = `{ followedProjects { project { id } state problem copied homeSequence lagEvents waiting openConflicts epoch movedTo } }`

/** How a project is followed. */
export interface Standing {
  readonly project: { readonly id: string }
  readonly state: string
  readonly problem: string | null
  readonly copied: number
  readonly homeSequence: number
  readonly lagEvents: number
  readonly waiting: number
  readonly openConflicts: number
  readonly epoch: number
}

/** Reads it. */
export async function standing(client: TestClient): Promise<Standing> {
  const { followedProjects } = await client.data(STATUS)
  const found = (followedProjects as Standing[]).find(({ project }) => project.id === client.projectId)
  if (found === undefined) throw new Error(`${client.projectId} is not followed`)
  return found
}

/** Waits until everything that the home has is here, and nothing waits for it. */
export async function untilConnected(client: TestClient): Promise<void> {
  await expect
    .poll(() => standing(client), { interval: 50 })
    .toMatchObject({ state: 'CONNECTED', lagEvents: 0, waiting: 0 })
}

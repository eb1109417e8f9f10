import { type SwitchingProxy, startSwitchingProxy } from '@daybook/postgres/testing/switching-proxy'
import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../../support/child-process.ts'
import { type Api, dataOf } from '../../support/graphql.ts'
import { type ChaosNode, createChaosNode } from './node.ts'

/** Daemons, one of which is the home of their common project, with a proxy on each way from one to another. */
export interface Network {
  readonly nodes: readonly ChaosNode[]
  /** The index of the home. */
  readonly home: number
  /** The project's id. */
  readonly project: string
  /** The way from one daemon to another. */
  way(from: number, to: number): SwitchingProxy
  /** The address of `to`, as `from` reaches it. */
  address(from: number, to: number): string
  /** Lets a way carry again, to where its daemon is now. */
  mend(from: number, to: number): void
  /** Has a daemon follow the home, or another address of it. Tries until it works. */
  follow(from: number): Promise<void>
  /** Whether the home is lost, and who is the next one is not settled yet. */
  isMoving: boolean
  /** From now on, another daemon is the home. */
  moved(to: number): void
  /** Stops everything. @param keep whether the folders stay for inspection */
  stop(keep: boolean): Promise<void>
}

const FOLLOW = `mutation ($url: String!, $key: String!) {
  followProject(url: $url, key: $key, project: "default") {
    __typename ... on Following { again } ... on DaybookError { code message }
  }
}`
/** The new home may not have what a follower of the lost one got: a person would say that it may go back. */
const REPOINT = `mutation ($project: ID!, $url: String!, $key: String!) {
  repointProject(id: $project, url: $url, key: $key) { __typename ... on DaybookError { code message } }
  changeFollowedProject(id: $project, goBack: true) { __typename }
}`
const MAKE_KEY = `mutation ($input: CreateKeyInput!) {
  createKey(input: $input) { __typename ... on CreatedKey { key } ... on DaybookError { message } }
}`

/** How long anything that is tried again may take, in milliseconds. */
const PATIENCE_MS = HANGS_MS

/** Starts daemons with embedded databases; the first is the home, and the others follow it. */
export async function startNetwork(daemons: number): Promise<Network> {
  const indices = Array.from({ length: daemons }, (_, index) => index)
  const ways = new Map<string, SwitchingProxy>()
  for (const from of indices)
    for (const to of indices) if (from !== to) ways.set(`${from}-${to}`, await startSwitchingProxy())
  const way = (from: number, to: number): SwitchingProxy => {
    const found = ways.get(`${from}-${to}`)
    if (found === undefined) throw new Error(`there is no way from ${from} to ${to}`)
    return found
  }
  const ports = new Map<number, number>()
  const mend = (from: number, to: number): void => {
    way(from, to).freeze(false)
    way(from, to).route({ host: '127.0.0.1', port: ports.get(to) ?? 1 })
  }
  const nodes = indices.map((index) => {
    const others = indices.filter((other) => other !== index)
    return createChaosNode(
      index,
      others.map((other) => `127.0.0.1:${way(other, index).port}`),
      (port) => {
        ports.set(index, port)
        for (const other of others) mend(other, index)
      },
    )
  })
  const keys = new Map<number, string>()
  let home = 0
  let project = ''
  const nodeAt = (index: number): ChaosNode => {
    const node = nodes[index]
    if (node === undefined) throw new Error(`there is no daemon ${index}`)
    return node
  }
  const network: Network = {
    nodes,
    way,
    mend,
    get home() {
      return home
    },
    get project() {
      return project
    },
    address: (from, to) => `http://127.0.0.1:${way(from, to).port}`,
    async follow(from) {
      const to = home
      const key = keys.get(to) ?? (await persistently(() => keyOf(nodeAt(to).daemon)))
      keys.set(to, key)
      await persistently(async () => {
        const url = network.address(from, to)
        const asked = await nodeAt(from).daemon.graphql<{
          followProject: { __typename: string; message?: string }
        }>({ query: FOLLOW, variables: { url, key } })
        const { followProject } = dataOf(asked)
        if (followProject.__typename === 'Following') return
        const again = await nodeAt(from).daemon.graphql<{
          repointProject: { __typename: string; message?: string }
        }>({ query: REPOINT, variables: { project, url, key } })
        const { repointProject } = dataOf(again)
        if (repointProject.__typename !== 'FollowedProject')
          throw new Error(
            `daemon ${from} does not follow ${to}: ${followProject.message}; ${repointProject.message}`,
          )
      })
    },
    isMoving: false,
    moved: (to) => (home = to),
    async stop(keep) {
      await Promise.all(nodes.map((node) => (keep ? node.daemon.kill() : node.daemon.remove())))
      await Promise.all([...ways.values()].map((one) => one.stop()))
    },
  }
  try {
    // One after the other is no slower: starting takes the processor.
    for (const node of nodes) await node.start()
    const { projects } = dataOf(
      await nodeAt(0).daemon.graphql<{ projects: { id: string; name: string }[] }>({
        query: '{ projects { id name } }',
      }),
    )
    project = projects.find(({ name }) => name === 'default')?.id ?? ''
    for (const index of indices.slice(1)) await network.follow(index)
    return network
  } catch (error) {
    await network.stop(true)
    throw error
  }
}

/** A key with which others follow, and with which a former home may be told that it is none any more. */
async function keyOf(api: Api): Promise<string> {
  const input = { name: 'followers', scopes: ['READ', 'WRITE', 'FOLLOW', 'ADMIN'] }
  const { createKey } = dataOf(
    await api.graphql<{ createKey: { key?: string; message?: string } }>({
      query: MAKE_KEY,
      variables: { input },
    }),
  )
  if (createKey.key === undefined) throw new Error(createKey.message)
  return createKey.key
}

/** Tries until it works: a daemon may be down just now. */
export async function persistently<T>(what: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  for (const deadline = Date.now() + patienceMs; ; await pause(200))
    try {
      return await what()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
}

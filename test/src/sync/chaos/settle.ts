import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../../support/child-process.ts'
import { dataOf } from '../../support/graphql.ts'
import type { Network } from './network.ts'
import type { ChaosNode } from './node.ts'

interface Followed {
  readonly state: string
  readonly problem: string | null
  readonly waiting: number
  readonly lagEvents: number
  readonly copied: number
}

interface State {
  readonly followedProjects: readonly Followed[]
  readonly projections: readonly {
    readonly name: string
    readonly head: number
    readonly lag: number
    readonly parked: number
  }[]
}

const STATE = `{
  followedProjects { state problem waiting lagEvents copied }
  projections { name head lag parked }
}`

/** How long it may take until all have everything, in milliseconds. */
const SETTLED_MS = HANGS_MS

/**
 * Waits until all are connected to the home, nothing waits, and all indexes are up to date.
 * @returns why that did not happen; empty if it did
 */
export async function untilSettled(network: Network): Promise<string[]> {
  for (const deadline = Date.now() + SETTLED_MS; ; await pause(100)) {
    const missing = await whatIsMissing(network).catch((error: unknown) => [String(error)])
    if (missing.length === 0) return []
    if (Date.now() > deadline) return missing.map((one) => `after ${SETTLED_MS / 1_000} s of quiet, ${one}`)
  }
}

async function whatIsMissing({ nodes, home }: Network): Promise<string[]> {
  const states = await Promise.all(
    nodes.map(async (node) => dataOf(await node.daemon.graphql<State>({ query: STATE }))),
  )
  const head = states[home]?.projections[0]?.head
  return states.flatMap((state, index) => missingAt(nodes[index], state, head, index === home))
}

function missingAt(
  node: ChaosNode | undefined,
  { followedProjects, projections }: State,
  head: number | undefined,
  isHome: boolean,
): string[] {
  const [followed] = followedProjects
  const behind = projections.filter((one) => one.head !== head || one.lag !== 0 || one.parked !== 0)
  const follows =
    // Who follows a former home gets everything by way of it, too.
    (followed?.state === 'CONNECTED' || followed?.state === 'MOVED') &&
    followed.waiting === 0 &&
    followed.lagEvents === 0 &&
    followed.copied === head
  return [
    ...(isHome && followed !== undefined
      ? [`the home, ${node?.index}, follows another: ${JSON.stringify(followed)}`]
      : []),
    ...(!isHome && !follows
      ? [`${node?.index} has not everything of the home (${head}): ${JSON.stringify(followed)}`]
      : []),
    ...behind.map((one) => `${node?.index} is not at ${head}: ${JSON.stringify(one)}`),
  ]
}

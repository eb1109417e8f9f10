import { pause } from '@daybook/runtime/backoff'
import { TransportError } from '../../support/graphql.ts'
import type { Random } from '../../support/random.ts'
import type { Ledger } from './ledger.ts'
import { type Network, persistently } from './network.ts'

const PROMOTE = `mutation ($id: ID!, $url: String!, $lost: Boolean) {
  promoteProject(id: $id, url: $url, lost: $lost) { __typename ... on Promoted { epoch } ... on DaybookError { code message } }
}`

interface Answer {
  readonly promoteProject: { readonly __typename: string; readonly epoch?: number; readonly message?: string }
}

/** Asks a daemon to become the home. @returns null once it is; else why not */
async function promote(network: Network, to: number, lost: boolean): Promise<string | null> {
  const node = network.nodes[to]
  const url = network.address(network.home, to)
  const answer = await node?.daemon.graphql<Answer>({
    query: PROMOTE,
    variables: { id: network.project, url, lost },
    timeoutMs: 60_000,
  })
  const promoted = answer?.data?.promoteProject
  if (promoted?.__typename === 'Promoted') return null
  return promoted?.message ?? JSON.stringify(answer?.errors)
}

const others = ({ nodes, home }: Network): number[] =>
  nodes.map(({ index }) => index).filter((index) => index !== home)

/** A person moves the home to another daemon while everybody writes. It may be refused, and is then tried again, or left. */
export async function handOver(
  network: Network,
  { counts, complaints }: Ledger,
  random: Random,
): Promise<string> {
  const to = random.oneOf(others(network))
  let why: string | null = ''
  for (const end = Date.now() + 8_000; Date.now() < end; await pause(300)) {
    why = await promote(network, to, false).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error
      return error.message
    })
    if (why === null) {
      counts.handOvers += 1
      const former = network.home
      network.moved(to)
      // Others reach the new home through the old one until they are told.
      if (random.chance(0.5)) await followAll(network, [former])
      return `hand-over to ${to}`
    }
    counts.handOversRefused += 1
    if (!/wait|does not answer|broke off|always ahead|HTTP 5/u.test(why))
      complaints.push(`the hand-over to ${to} was refused: ${why}`)
  }
  return `no hand-over: ${why}`
}

/** The home dies; a person makes a follower the home; later the old one comes back. */
export async function loseHome(network: Network, ledger: Ledger, random: Random): Promise<string> {
  const former = network.home
  const to = random.oneOf(others(network))
  const old = network.nodes[former]
  if (old === undefined) return ''
  ledger.counts.kills += 1
  ledger.counts.lostHomes += 1
  await old.kill()
  await pause(random.between(0, 1_000))
  await persistently(async () => {
    const why = await promote(network, to, true)
    if (why !== null && !why.includes('home of the project already') && !why.includes('not found'))
      throw new Error(`${to} was not promoted: ${why}`)
  })
  network.moved(to)
  await followAll(network, [former])
  await pause(random.between(0, 2_000))
  await old.start()
  return `lost home, ${to} instead of ${former}`
}

/** Tells all others where the home is now. */
export async function followAll(network: Network, but: readonly number[] = []): Promise<void> {
  for (const index of others(network)) if (!but.includes(index)) await network.follow(index)
}

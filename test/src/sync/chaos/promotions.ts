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
  })
  const promoted = answer?.data?.promoteProject
  if (promoted?.__typename === 'Promoted') return null
  return promoted?.message ?? JSON.stringify(answer?.errors)
}

const others = ({ nodes, home }: Network): number[] =>
  nodes.map(({ index }) => index).filter((index) => index !== home)

/** What the daemon says that is the home already. */
const isHome = (why: string | null): boolean =>
  why === null || why.includes('home of the project already') || why.includes('not found')

/** Refusals after which nothing has changed. */
const LEFT = /wait|always ahead/u
/** Nobody knows whether the old home has handed over. */
const UNKNOWN = /does not answer|broke off|no answer|the daemon is stopped|HTTP 5|being stopped|UNAVAILABLE/u

/**
 * A person moves the home to another daemon while everybody writes. It may be refused, and is then tried again, or left. Only
 * where it is not known what came of it, it has to be asked again later.
 * @param away daemons that cannot reach the home
 * @returns what came of it, in words; and what is left to do once all ways are mended
 */
export async function handOver(
  network: Network,
  ledger: Ledger,
  random: Random,
  away: readonly number[],
): Promise<{ readonly said: string; readonly finish?: () => Promise<void> }> {
  const { counts, complaints } = ledger
  const candidates = others(network).filter((index) => !away.includes(index))
  if (candidates.length === 0) return { said: 'no hand-over: all are offline' }
  const to = random.oneOf(candidates)
  const former = network.home
  const moved = async (): Promise<void> => {
    counts.handOvers += 1
    ledger.hasMoved = true
    network.moved(to)
    // Others reach the new home through the old one until they are told.
    if (random.chance(0.5)) await followAll(network, [former])
  }
  const ask = () =>
    promote(network, to, false).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error
      return error.message
    })
  let why: string | null = ''
  for (const end = Date.now() + 8_000; Date.now() < end; await pause(300)) {
    why = await ask()
    if (isHome(why)) {
      await moved()
      return { said: `hand-over to ${to}` }
    }
    counts.handOversRefused += 1
    if (!LEFT.test(why ?? '') && !UNKNOWN.test(why ?? ''))
      complaints.push(`the hand-over to ${to} was refused: ${why}`)
  }
  if (!UNKNOWN.test(why ?? '')) return { said: `no hand-over to ${to}: ${why}` }
  const finish = async (): Promise<void> => {
    const hasMoved = await persistently(async () => {
      const said = await ask()
      if (isHome(said)) return true
      if (LEFT.test(said ?? '')) return false
      throw new Error(`the hand-over to ${to} cannot be finished: ${said}`)
    })
    if (hasMoved) await moved()
    else counts.handOversRefused += 1
  }
  return { said: `hand-over to ${to}, finished later: ${why}`, finish }
}

/** The home dies; a person makes a follower the home; later the old one comes back. */
export async function loseHome(network: Network, ledger: Ledger, random: Random): Promise<string> {
  const former = network.home
  const to = random.oneOf(others(network))
  const old = network.nodes[former]
  if (old === undefined) return ''
  network.isMoving = true
  ledger.hasMoved = true
  ledger.counts.kills += 1
  ledger.counts.lostHomes += 1
  await old.kill()
  await pause(random.between(0, 1_000))
  await persistently(async () => {
    const why = await promote(network, to, true)
    if (!isHome(why)) throw new Error(`${to} was not promoted: ${why}`)
  })
  network.moved(to)
  await followAll(network, [former])
  await pause(random.between(0, 2_000))
  await old.start()
  network.isMoving = false
  return `lost home, ${to} instead of ${former}`
}

/** Tells all others where the home is now. */
export async function followAll(network: Network, but: readonly number[] = []): Promise<void> {
  for (const index of others(network)) if (!but.includes(index)) await network.follow(index)
}

import { readChain } from '@daybook/journal/chain/read-chain'
import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../../support/child-process.ts'
import { type Api, dataOf } from '../../support/graphql.ts'
import { checkIndexes } from '../check-indexes.ts'
import type { Cluster } from '../cluster.ts'
import type { Follower } from './follower.ts'
import type { Receipt } from './writers.ts'

/** The times of a round's failover, in milliseconds since 1970. */
export interface Failover {
  /** Everything answered before this has reached the standby. */
  readonly cutAt: number
  /** Everything sent after this went to the new primary. */
  readonly overAt: number
}

/** The result of a round's checks. */
export interface Checked {
  readonly differences: readonly string[]
  /** Receipts whose events the journal does not have. */
  readonly lost: number
  /** Milliseconds until both projections were live again and up to date. */
  readonly healedMs: number
}

const HEALED_MS = HANGS_MS
/** How many lost memories to look up one by one. */
const SAMPLED = 20

/**
 * Checks a cluster whose writers have stopped: a failover may lose the journal's end, but nothing silently.
 */
export async function checkFailover(
  cluster: Cluster,
  scope: ProjectScope,
  { receipts, failover, follower }: { receipts: readonly Receipt[]; failover: Failover; follower: Follower },
): Promise<Checked> {
  const began = Date.now()
  const differences = await untilHealed(cluster.api)
  const healedMs = Date.now() - began
  const chain = await readChain(scope, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1_000_000 })
  const { problems } = await verifyJournal(scope)
  if (problems > 0) differences.push(`the journal's chain has ${problems} problems`)
  const kept = ({ sequence, hash }: Receipt) => chain[sequence - 1]?.hash === hash
  const lost = receipts.filter((receipt) => !kept(receipt))
  for (const receipt of lost)
    if (receipt.answeredAt < failover.cutAt || receipt.sentAt > failover.overAt)
      differences.push(`${describe(receipt)} is gone, though the failover did not touch it`)
  differences.push(
    ...(await checkIndexes(cluster, scope)),
    ...(await checkLostReceipts(cluster.api, lost.slice(-SAMPLED))),
    ...(await checkLostAreNotFound(cluster.api, lost.slice(-SAMPLED), chain)),
    ...(await follower.differences(chain)),
  )
  return { differences, lost: lost.length, healedMs }
}

interface Status {
  readonly name: string
  readonly status: string
  readonly position: number
  readonly head: number
  readonly lag: number
  readonly parked: number
}

async function untilHealed(api: Api): Promise<string[]> {
  const query = '{ projections { name status position head lag parked } }'
  for (const deadline = Date.now() + HEALED_MS; ; await pause(50)) {
    const answer = await api.graphql<{ projections: Status[] }>({ query })
    const projections = answer.errors.length > 0 ? null : dataOf(answer).projections
    const left = (projections ?? []).filter(
      ({ status, position, head }) => position !== head || status !== 'live',
    )
    if (Date.now() < deadline && (projections === null || left.length > 0)) continue
    return [
      ...left.map((one) => `not healed after ${HEALED_MS} ms: ${JSON.stringify(one)}`),
      ...(projections ?? [])
        .filter(({ parked }) => parked > 0)
        .map(({ name }) => `${name} has parked events`),
    ]
  }
}

/** Checks that a read with the receipt of a lost event says so. */
async function checkLostReceipts(api: Api, lost: readonly Receipt[]): Promise<string[]> {
  const query = `query ($id: ID!, $atLeast: Int!, $hash: String!) {
    memory(id: $id, atLeast: $atLeast, atLeastHash: $hash) { version }
  }`
  const differences: string[] = []
  for (const receipt of lost) {
    const { memoryId: id, sequence: atLeast, hash } = receipt
    const { errors } = await api.graphql({ query, variables: { id, atLeast, hash } })
    if (errors[0]?.extensions?.code !== 'DIVERGED')
      differences.push(
        `${describe(receipt)} is lost, and a read with it is answered ${JSON.stringify(errors)}`,
      )
  }
  return differences
}

/** Checks that no search finds a text that the journal does not have. */
async function checkLostAreNotFound(
  api: Api,
  lost: readonly Receipt[],
  chain: readonly { readonly memoryId: string; readonly data: unknown }[],
): Promise<string[]> {
  const texts = JSON.stringify(chain.map(({ data }) => data))
  const query = `query ($query: String!, $engine: SearchEngine!) {
    search(query: $query, engine: $engine, mode: KEYWORD) { hits { memory { id text } } }
  }`
  const differences: string[] = []
  for (const { text } of lost) {
    const [mark = ''] = text.split(' ')
    // Another event has the same text, so searches may find it.
    if (texts.includes(`"${text}"`)) continue
    for (const engine of ['POSTGRES', 'TYPESENSE']) {
      const found = dataOf(
        await api.graphql<{ search: { hits: { memory: { id: string; text: string } }[] } }>({
          query,
          variables: { query: mark, engine },
        }),
      ).search.hits.filter(({ memory }) => memory.text === text)
      if (found.length > 0) differences.push(`${engine} finds the lost text "${text}"`)
    }
  }
  return differences
}

const describe = ({ memoryId, version, sequence, text }: Receipt) =>
  `the receipt of ${memoryId} version ${version} at sequence ${sequence} ("${text}")`

import { pause } from '@daybook/runtime/backoff'
import { type GraphQLRequest, TransportError } from '../../support/graphql.ts'
import { createRandom, derivedSeed, type Random } from '../../support/random.ts'
import type { Ledger } from './ledger.ts'
import type { Network } from './network.ts'
import type { ChaosNode } from './node.ts'
import { readMemory, search } from './operations.ts'
import { someWord } from './writers.ts'

/** Reads and searches at every daemon all the time: whatever happens to others, it has to answer. */
export function startReaders(
  network: Network,
  ledger: Ledger,
  { seed, round }: { readonly seed: number; readonly round: number },
): { stop(): Promise<void> } {
  const stop = new AbortController()
  const running = network.nodes.map((node) =>
    readOn(node, ledger, createRandom(derivedSeed(seed, round, node.index, 1_000)), stop.signal),
  )
  return {
    async stop() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

async function readOn(node: ChaosNode, ledger: Ledger, random: Random, stop: AbortSignal): Promise<void> {
  for (; !stop.aborted; await pause(random.between(50, 250), stop)) {
    if (!node.up) continue
    const { outages } = node
    const begun = performance.now()
    const failure = await failureOf(node, someRead(ledger, random))
    const took = Math.round(performance.now() - begun)
    if (node.outages !== outages) continue
    ledger.readMs.push(took)
    if (failure !== null) ledger.complaints.push(`a read at ${node.index} failed: ${failure}`)
  }
}

function someRead({ memories }: Ledger, random: Random): GraphQLRequest {
  if (memories.length === 0 || random.chance(0.5)) return search(`${someWord(random)} ${someWord(random)}`)
  return readMemory(random.oneOf(memories).id, null)
}

async function failureOf(node: ChaosNode, request: GraphQLRequest): Promise<string | null> {
  try {
    const { errors } = await node.daemon.graphql(request)
    return errors.length === 0 ? null : JSON.stringify(errors).slice(0, 400)
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return error.message
  }
}

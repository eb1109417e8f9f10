import { pause } from '@daybook/runtime/backoff'
import type { Random } from '../../support/random.ts'
import type { Ledger } from './ledger.ts'
import type { Network } from './network.ts'

/** A fault while everybody writes. It is undone before `inflict` resolves. */
export interface Fault {
  readonly name: string
  inflict(network: Network, ledger: Ledger, random: Random, victim: number): Promise<void>
}

const partition: Fault = {
  name: 'partition',
  async inflict(network, { counts }, random, victim) {
    const { home } = network
    if (victim === home) return
    counts.partitions += 1
    network.way(victim, home).route(null)
    await pause(random.between(50, 2_500))
    network.mend(victim, home)
  },
}

const shortPartitions: Fault = {
  name: 'short partitions',
  async inflict(network, { counts }, random, victim) {
    const { home } = network
    if (victim === home) return
    for (let times = random.between(2, 6); times > 0; times -= 1) {
      counts.partitions += 1
      network.way(victim, home).route(null)
      await pause(random.between(1, 60))
      network.mend(victim, home)
      await pause(random.between(20, 400))
    }
  },
}

const freeze: Fault = {
  name: 'freeze',
  async inflict(network, { counts }, random, victim) {
    const { home } = network
    if (victim === home) return
    counts.freezes += 1
    network.way(victim, home).freeze(true)
    // Longer than an answer may take, at times.
    await pause(random.chance(0.7) ? random.between(100, 2_000) : random.between(5_000, 8_000))
    network.mend(victim, home)
  },
}

const cut: Fault = {
  name: 'cut in an answer',
  async inflict(network, { counts }, random, victim) {
    const { home } = network
    if (victim === home) return
    for (let times = random.between(1, 5); times > 0; times -= 1) {
      counts.cuts += 1
      network
        .way(victim, home)
        .cutAfter(random.chance(0.5) ? random.between(0, 300) : random.between(300, 20_000))
      await pause(random.between(50, 500))
    }
  },
}

const kill: Fault = {
  name: 'kill -9',
  async inflict({ nodes }, { counts }, random, victim) {
    const node = nodes[victim]
    if (node === undefined || !node.up) return
    counts.kills += 1
    await node.kill()
    await pause(random.between(0, 1_500))
    await node.start()
  },
}

const stop: Fault = {
  name: 'SIGTERM',
  async inflict({ nodes }, { counts }, _, victim) {
    const node = nodes[victim]
    if (node === undefined || !node.up) return
    counts.stops += 1
    await node.stop()
    await node.start()
  },
}

/** By how often they come: starting a daemon takes seconds in which little else happens. */
const FAULTS: readonly Fault[] = [
  partition,
  partition,
  shortPartitions,
  shortPartitions,
  freeze,
  cut,
  cut,
  kill,
  stop,
]

/** Inflicts random faults on one daemon after the other until the time is over. */
export async function inflictFaults(
  network: Network,
  ledger: Ledger,
  random: Random,
  { victims, forMs }: { readonly victims: readonly number[]; readonly forMs: number },
): Promise<void> {
  for (const end = Date.now() + forMs; Date.now() < end; await pause(random.between(20, 600)))
    await random.oneOf(FAULTS).inflict(network, ledger, random, random.oneOf(victims))
}

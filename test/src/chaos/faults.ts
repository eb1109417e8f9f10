import { pause } from '@daybook/runtime/backoff'
import { ended, request } from '../reindex/operations.ts'
import { HANGS_MS } from '../support/child-process.ts'
import type { Random } from '../support/random.ts'
import { type Cluster, DUPLICATE_WINDOW_MS } from './cluster.ts'
import type { ServiceName } from './service-process.ts'

/** A fault of a cluster while clients write. It is undone before `inflict` resolves. */
export interface Fault {
  readonly name: string
  /** The target. Two faults of one round have different targets. */
  readonly to: ServiceName | 'NATS' | 'Postgres' | 'Typesense'
  /** @returns details for the round's line */
  inflict(cluster: Cluster, random: Random): Promise<string>
}

const of = ({ services }: Cluster, service: ServiceName) => services.filter((one) => one.service === service)

const killOne = (service: ServiceName): Fault => ({
  name: `kill -9 of a ${service}`,
  to: service,
  async inflict(cluster, random) {
    const victim = random.oneOf(of(cluster, service))
    await victim.kill()
    const delay = random.between(0, 1_500)
    await pause(delay)
    await victim.start()
    return `${victim.name}, away for ${delay} ms`
  },
})

const killAll = (service: ServiceName): Fault => ({
  name: `kill -9 of every ${service}`,
  to: service,
  async inflict(cluster, random) {
    const victims = of(cluster, service)
    await Promise.all(victims.map((victim) => victim.kill()))
    await pause(random.between(0, 1_000))
    await Promise.all(victims.map((victim) => victim.start()))
    return ''
  },
})

const stopOne = (service: ServiceName): Fault => ({
  name: `SIGTERM to a ${service}`,
  to: service,
  async inflict(cluster, random) {
    const victim = random.oneOf(of(cluster, service))
    const code = await victim.stop()
    if (code !== 0) throw new Error(`${victim.name} ended with ${code} after SIGTERM\n${victim.log()}`)
    await victim.start()
    return victim.name
  },
})

/** Freezes a process for longer than a projector's claim on a project, so that another one takes over. */
const freezeOne = (service: ServiceName): Fault => ({
  name: `a ${service} that hangs`,
  to: service,
  async inflict(cluster, random) {
    const victim = random.oneOf(of(cluster, service))
    const goOn = victim.freeze()
    const time = random.between(500, 12_000)
    await pause(time)
    goOn()
    return `${victim.name} for ${time} ms`
  },
})

const wipeNats: Fault = {
  name: "JetStream's store wiped",
  to: 'NATS',
  async inflict({ nats }, random) {
    await nats.kill()
    nats.wipe()
    await pause(random.between(0, 1_000))
    await nats.start()
    return ''
  },
}

const natsDown: Fault = {
  name: 'NATS down for longer than its duplicate window',
  to: 'NATS',
  async inflict({ nats }, random) {
    await nats.kill()
    const time = DUPLICATE_WINDOW_MS + random.between(100, 2_500)
    await pause(time)
    await nats.start()
    return `${time} ms`
  },
}

const crashPostgres: Fault = {
  name: 'crash of Postgres',
  to: 'Postgres',
  async inflict({ postgres }, random) {
    await postgres.crash()
    await pause(random.between(0, 1_000))
    await postgres.start()
    return ''
  },
}

/** A killed rebuild must resume, and at every moment the live generation must be the old or the new one. */
const rebuildKilled: Fault = {
  name: 'a rebuild whose process is killed',
  to: 'reindex',
  async inflict(cluster, random) {
    const projection = random.oneOf(['PGVECTOR', 'TYPESENSE'])
    const { id } = await persistently(() => request(cluster.api, `reindex(projection: ${projection})`))
    const end = persistently(() => ended(cluster.api, id))
    await pause(random.between(100, 2_500))
    await killAll('reindex').inflict(cluster, random)
    const { status, error } = await end
    if (status !== 'SUCCEEDED') throw new Error(`the rebuild of ${projection} ended as ${status}: ${error}`)
    return projection
  },
}

/** Tries until it works: the round's other fault may have taken away what it needs. */
async function persistently<T>(what: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + HANGS_MS; ; await pause(200))
    try {
      return await what()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
}

/** All faults of a cluster except those of its Typesense, which are in `typesense-faults.ts`. */
export const FAULTS: readonly Fault[] = [
  killOne('gateway'),
  killAll('gateway'),
  stopOne('gateway'),
  killOne('projector-pgvector'),
  killAll('projector-pgvector'),
  freezeOne('projector-pgvector'),
  killOne('projector-typesense'),
  killAll('projector-typesense'),
  freezeOne('projector-typesense'),
  rebuildKilled,
  wipeNats,
  natsDown,
  crashPostgres,
]

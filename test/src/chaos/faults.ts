import { type Database, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { pause } from '@daybook/runtime/backoff'
import type { FailLine } from '@daybook/typesense/testing/double/faults'
import type { TypesenseDouble } from '@daybook/typesense/testing/start-typesense-double'
import { ended, request } from '../reindex/operations.ts'
import type { Random } from '../support/random.ts'
import { type Cluster, DUPLICATE_WINDOW_MS } from './cluster.ts'
import type { ServiceName } from './service-process.ts'

/** What is done to a cluster while clients write. It heals itself before it resolves. */
export interface Fault {
  readonly name: string
  /** What it is done to. Two faults of one round are done to different things. */
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

/** Longer than the claim that a projector takes on a project, so that another goes on in its place. */
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

/** How often in a row a document's line may fail: less than the tries after which its event is parked. */
const FAILURES_IN_A_ROW = 2

/** Fails lines at random, but never one so often that it would rightly be given up. */
function someLines(random: Random): FailLine {
  const failures = new Map<unknown, number>()
  return ({ id }) => {
    const before = failures.get(id) ?? 0
    const fails = before < FAILURES_IN_A_ROW && random.chance(0.3)
    failures.set(id, fails ? before + 1 : 0)
    return fails ? 'this line was made to fail by the test' : null
  }
}

/** @param begin makes it so. @returns ends it */
const typesenseFault = (
  name: string,
  begin: (
    typesense: TypesenseDouble,
    random: Random,
  ) => (() => void | Promise<void>) | Promise<() => Promise<void>>,
): Fault => ({
  name: `Typesense ${name}`,
  to: 'Typesense',
  async inflict({ typesense }, random) {
    const end = await begin(typesense, random)
    const time = random.between(300, 3_000)
    await pause(time)
    await end()
    return `for ${time} ms`
  },
})

/** Until it is noticed, which takes a second or two, the positions are about a collection that is no more. */
const loseTypesense: Fault = {
  name: 'Typesense losing everything',
  to: 'Typesense',
  async inflict({ typesense, postgres }) {
    const db = openDatabase(serverAddress(postgres.url))
    try {
      const lost = await collectionInUse(db)
      typesense.faults.loseEverything()
      const started = Date.now()
      while ((await collectionInUse(db).catch(() => lost)) === lost) {
        if (Date.now() - started > NOTICED_MS)
          throw new Error('no projector noticed that Typesense lost everything')
        await pause(50)
      }
      return `noticed after ${Date.now() - started} ms`
    } finally {
      await db.destroy()
    }
  },
}

const NOTICED_MS = 60_000

/** Which making of the collection the positions are about. */
async function collectionInUse(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('typesense_collections').select('incarnation').executeTakeFirst()
  return row?.incarnation
}

/** Every kind of fault. */
/** A rebuild goes on wherever it is killed, and the projection is one of the old or the new generation at every moment. */
const rebuildKilled: Fault = {
  name: 'a rebuild whose process is killed',
  to: 'reindex',
  async inflict(cluster, random) {
    const projection = random.oneOf(['pgvector', 'typesense'])
    const { id } = await persistently(() => request(cluster.api, `reindex(projection: "${projection}")`))
    const end = persistently(() => ended(cluster.api, id))
    await pause(random.between(100, 2_500))
    await killAll('reindex').inflict(cluster, random)
    const { status, error } = await end
    if (status !== 'succeeded') throw new Error(`the rebuild of ${projection} ended as ${status}: ${error}`)
    return projection
  },
}

/** Until it works: the other fault of the round may have taken away what it needs. */
async function persistently<T>(what: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; await pause(200))
    try {
      return await what()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
}

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
  typesenseFault('refusing', async ({ faults }) => {
    await faults.refuse()
    return faults.accept
  }),
  typesenseFault('answering slowly', ({ faults }, random) => {
    faults.slow(random.between(100, 1_500))
    return () => faults.slow(0)
  }),
  typesenseFault('not ready', ({ faults }) => {
    faults.notReady(true)
    return () => faults.notReady(false)
  }),
  typesenseFault('failing single lines', ({ faults }, random) => {
    faults.failLines(someLines(random))
    return () => faults.failLines(null)
  }),
  loseTypesense,
]

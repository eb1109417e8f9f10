import { type Database, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { pause } from '@daybook/runtime/backoff'
import type { NativeTypesense } from '@daybook/typesense-double/native-typesense'
import type { FailLine } from '@daybook/typesense-double/server/faults'
import type { TypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { HANGS_MS } from '../support/child-process.ts'
import type { Random } from '../support/random.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterTypesense } from './cluster-typesense.ts'
import type { Fault } from './faults.ts'

/** Ends a fault. */
type End = () => unknown

/** @param begin begins the fault */
const fault = (
  name: string,
  begin: (typesense: ClusterTypesense, random: Random) => End | Promise<End>,
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

const ofDouble = (name: string, begin: (double: TypesenseDouble, random: Random) => End | Promise<End>) =>
  fault(name, ({ double }, random) => {
    if (double === null) throw new Error(`the fault "${name}" is for the double`)
    return begin(double, random)
  })

const ofNative = (name: string, begin: (native: NativeTypesense, random: Random) => End | Promise<End>) =>
  fault(name, ({ native }, random) => {
    if (native === null) throw new Error(`the fault "${name}" is for a real server`)
    return begin(native, random)
  })

/** How often in a row a document's line may fail: fewer times than the tries before its event is parked. */
const FAILURES_IN_A_ROW = 2

/** Fails lines at random, but never one so often that its event would rightly be parked. */
function someLines(random: Random): FailLine {
  const failures = new Map<unknown, number>()
  return ({ id }) => {
    const before = failures.get(id) ?? 0
    const fails = before < FAILURES_IN_A_ROW && random.chance(0.3)
    failures.set(id, fails ? before + 1 : 0)
    return fails ? 'this line was made to fail by the test' : null
  }
}

/**
 * Loses all data. Until a projector notices, which takes a second or two, positions refer to the lost
 * collection.
 */
const losing = (lose: (cluster: Cluster) => unknown): Fault => ({
  name: 'Typesense losing everything',
  to: 'Typesense',
  async inflict(cluster) {
    const db = openDatabase(serverAddress(cluster.postgres.url))
    try {
      const lost = await collectionInUse(db)
      await lose(cluster)
      const started = Date.now()
      while ((await collectionInUse(db).catch(() => lost)) === lost) {
        if (Date.now() - started > HANGS_MS)
          throw new Error('no projector noticed that Typesense lost everything')
        await pause(50)
      }
      return `noticed after ${Date.now() - started} ms`
    } finally {
      await db.destroy()
    }
  },
})

/** The incarnation of the collection that the positions refer to. */
async function collectionInUse(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('typesense_collections').select('incarnation').executeTakeFirst()
  return row?.incarnation
}

const DOUBLE_FAULTS: readonly Fault[] = [
  ofDouble('refusing', async ({ faults }) => {
    await faults.refuse()
    return faults.accept
  }),
  ofDouble('answering slowly', ({ faults }, random) => {
    faults.slow(random.between(100, 1_500))
    return () => faults.slow(0)
  }),
  ofDouble('not ready', ({ faults }) => {
    faults.notReady(true)
    return () => faults.notReady(false)
  }),
  ofDouble('failing single lines', ({ faults }, random) => {
    faults.failLines(someLines(random))
    return () => faults.failLines(null)
  }),
  losing(({ typesense }) => typesense.double?.faults.loseEverything()),
]

/**
 * Suspends the server for a moment repeatedly, so that every answer is late.
 * @returns a function that ends this
 */
function stutter(native: NativeTypesense, random: Random): End {
  const end = new AbortController()
  const run = async () => {
    while (!end.signal.aborted) {
      const goOn = await native.freeze()
      await pause(random.between(100, 1_500))
      goOn()
      await pause(random.between(1, 50))
    }
  }
  const running = run()
  running.catch(() => {})
  return () => {
    end.abort()
    return running
  }
}

/**
 * Faults of a real server. After a kill it replays its log; meanwhile it refuses requests, or answers from
 * incomplete data.
 */
const NATIVE_FAULTS: readonly Fault[] = [
  ofNative('killed by signal 9', async (native) => {
    await native.kill()
    return native.start
  }),
  ofNative('killed by signal 9 twice', async (native) => {
    await native.kill()
    await native.start()
    await native.kill()
    return native.start
  }),
  ofNative('hanging', (native) => native.freeze()),
  ofNative('answering slowly', stutter),
  ofNative('refusing every write', async (native) => {
    await native.skipWrites(true)
    return () => native.skipWrites(false)
  }),
  losing(async ({ typesense: { native } }) => {
    await native?.kill()
    native?.wipe()
    await native?.start()
  }),
]

/** The faults for the Typesense of a cluster: those of the double, or of a real server. */
export const typesenseFaults = ({ native }: ClusterTypesense) =>
  native === null ? DOUBLE_FAULTS : NATIVE_FAULTS

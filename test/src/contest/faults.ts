import { existsSync } from 'node:fs'
import { pause } from '@daybook/runtime/backoff'
import type { Peer, PeerMemory, PeerStore } from '../eval/peers/peer.ts'
import { HANGS_MS, killNow } from '../support/child-process.ts'
import { createRandom, type Random } from '../support/random.ts'
import type { Counted, FaultResult } from './results.ts'
import type { Usage } from './usage.ts'

const WRITERS = 8
/** Writes of each writer where nothing is killed. */
const EACH = 25
const DELETED = 10

/** The group that is written to. */
export const FAULT_GROUP = 'faults'

/**
 * Counts what a peer loses: of writes by eight at once, of writes that are cut by `kill -9` of all its processes, and of deletions.
 * A write without an answer is repeated under its id after the restart, as a client does that does not know.
 * @param kills how often it is killed, if it keeps anything
 */
export async function measureFaults(peer: Peer, kills: number, usage: Usage): Promise<FaultResult> {
  const store = await peer.open(FAULT_GROUP)
  const ledger = new Set<string>()
  const random = createRandom(9)
  await store.store([memory('first', random)])
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let index = 0; index < EACH; index += 1) {
        const id = `together-${writer}-${index}`
        await store.store([memory(id, random)])
        ledger.add(id)
      }
    }),
  )
  const together = await count(store, ledger)
  const { restart } = peer
  if (restart === undefined) {
    await store.close()
    return { together, kills: null, deleted: null }
  }
  const killAll = async () => {
    const pids = usage.pids()
    for (const pid of pids) killNow(pid)
    await Promise.all(pids.map(untilCollected))
    await restart()
  }
  // What was lost without a kill is not lost by one.
  ledger.clear()
  for (let round = 0; round < kills; round += 1)
    await cutWrites(store, ledger, `kill-${round}`, random, killAll)
  const counted = await count(store, ledger)
  const gone = Array.from({ length: DELETED }, (_, index) => memory(`gone-${index}`, random))
  for (const one of gone) await store.store([one])
  await store.settled?.()
  for (const { id } of gone) await store.remove?.(id)
  await killAll()
  await store.settled?.()
  let foundAgain = 0
  for (const { id, text } of gone) if ((await store.search(text, 10)).includes(id)) foundAgain += 1
  await store.close()
  return { together, kills: { ...counted, rounds: kills }, deleted: { memories: DELETED, foundAgain } }
}

/** Postgres takes a process that nobody has collected yet for one that runs, and does not start beside it. */
async function untilCollected(pid: number): Promise<void> {
  for (const deadline = Date.now() + HANGS_MS; existsSync(`/proc/${pid}`) && Date.now() < deadline; )
    await pause(20)
}

/** Writes with all writers, kills everything at some moment, and repeats what was not answered. */
async function cutWrites(
  store: PeerStore,
  ledger: Set<string>,
  round: string,
  random: Random,
  killAll: () => Promise<void>,
): Promise<void> {
  let writing = true
  const unanswered: PeerMemory[] = []
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let index = 0; writing; index += 1) {
      const one = memory(`${round}-${writer}-${index}`, random)
      try {
        await store.store([one])
        ledger.add(one.id)
      } catch {
        unanswered.push(one)
        return
      }
    }
  })
  await pause(random.between(200, 1_200))
  const killed = killAll()
  // A writer whose call is answered by the restarted peer goes no further.
  writing = false
  await killed
  await Promise.all(writers)
  for (const one of unanswered) {
    await store.store([one])
    ledger.add(one.id)
  }
}

async function count(store: PeerStore, ledger: ReadonlySet<string>): Promise<Counted> {
  await store.settled?.()
  const copies = new Map<string, number>()
  for (const id of (await store.ids?.()) ?? []) copies.set(id, (copies.get(id) ?? 0) + 1)
  const of = [...ledger].map((id) => copies.get(id) ?? 0)
  return {
    acknowledged: ledger.size,
    lost: of.filter((found) => found === 0).length,
    doubled: of.filter((found) => found > 1).length,
  }
}

const WORDS =
  'harbour lantern meadow copper violet engine marble thunder orchard saddle whisper canyon'.split(' ')

function memory(id: string, random: Random): PeerMemory {
  const text = `Note ${id} about ${random.oneOf(WORDS)} and ${random.oneOf(WORDS)}.`
  return { id, text, input: { content: { note: { text } } } }
}

import type { Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations/generations'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'

interface Lag {
  readonly projects: number
  readonly events: number
}

/**
 * A generation has caught up if it applies, within this many milliseconds, all that the journals held at one
 * moment.
 */
const SOON_MS = 1_000
const POLL_MS = 25

/** A poll rests this many times as long as it took: of 5,000 projects it takes some 5 ms, which a rebuild needs for itself. */
const REST = 10

/**
 * Waits until the generation has caught up with the journals. During many writes it is never at the end of
 * all journals at once, but it reaches their ends of a moment ago within a second.
 */
export async function waitUntilCaughtUp(db: Database, generation: Generation, work: Work): Promise<void> {
  let done = 0
  for (;;) {
    const heads = await readBehind(db, generation)
    if (heads.size === 0) return
    const began = performance.now()
    let total = 0
    for (;;) {
      const asked = performance.now()
      const { projects, events } = await readLag(db, generation, heads)
      total ||= done + events
      await work.report({ done: total - events, total })
      if (projects === 0) break
      await pause(Math.max(POLL_MS, (performance.now() - asked) * REST), work.signal)
      work.signal.throwIfAborted()
    }
    // What was written meanwhile comes on top, so that what is shown never goes back.
    done = total
    if (performance.now() - began < SOON_MS) return
  }
}

/** Reads the heads of the journals that the generation is behind. */
async function readBehind(
  db: Database,
  { projection, generation }: Generation,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ project_id: string; sequence: number }>`
    select head.project_id, head.sequence from journal_heads head
    left join positions place on place.project_id = head.project_id
      and place.projection = ${projection} and place.generation = ${generation}
    where head.sequence > coalesce(place.position, 0)`.execute(db)
  return new Map(rows.map((row) => [row.project_id, row.sequence]))
}

async function readLag(
  db: Database,
  { projection, generation }: Generation,
  heads: ReadonlyMap<string, number>,
): Promise<Lag> {
  const { rows } = await sql<Lag>`
    select count(*) as projects, coalesce(sum(head.sequence - coalesce(place.position, 0)), 0)::bigint as events
    from unnest(${[...heads.keys()]}::uuid[], ${[...heads.values()]}::bigint[]) as head(project_id, sequence)
    left join positions place on place.project_id = head.project_id
      and place.projection = ${projection} and place.generation = ${generation}
    where head.sequence > coalesce(place.position, 0)`.execute(db)
  return rows[0] ?? { projects: 0, events: 0 }
}

import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { type ChainCursor, headDiffers, type JournalProblem } from './check-chain.ts'
import { readHash } from './read-chain.ts'

/** A reader that has seen the journal up to some place. */
export interface Witness {
  /** As operators know it: `generation 1 of pgvector`. */
  readonly name: string
  readonly sequence: number
  /** The hash of the event there, in hex; null if it was not noted. */
  readonly hash: string | null
}

/**
 * How far projections have applied the journal and the relay has published it. A sound journal is never
 * behind them.
 */
export async function readWitnesses({ db, projectId }: ProjectScope): Promise<Witness[]> {
  const { rows } = await sql<Witness>`
    select 'generation ' || generation || ' of ' || projection as name, position as sequence, encode(hash, 'hex') as hash
    from positions where project_id = ${projectId} and position > 0
    union all
    select 'the relay', published, encode(hash, 'hex') from relay_positions where project_id = ${projectId} and published > 0
    order by name`.execute(db)
  return rows
}

/** What is wrong with a journal that ends at `end`, if the witness is right. */
export async function checkWitness(
  scope: ProjectScope,
  end: ChainCursor,
  { name, sequence, hash }: Witness,
): Promise<JournalProblem[]> {
  if (sequence > end.sequence)
    return [
      headDiffers(
        end.sequence,
        `the journal lost its end: it ends at ${end.sequence}, and ${name} says that there was an event ${sequence}`,
      ),
    ]
  if (hash === null) return []
  const stored = await readHash(scope, sequence)
  // The chain check already reports a missing event.
  if (stored === null || stored === hash.toLowerCase()) return []
  return [
    headDiffers(
      sequence,
      `event ${sequence}: its hash is not the one that ${name} has: the journal up to it was changed`,
    ),
  ]
}

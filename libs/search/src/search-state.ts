import { grouped } from '@daybook/memory/text-rules'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** How complete the index is at the moment of a search. */
export interface SearchState {
  /** The last sequence that the index is certain to include. */
  readonly position: number
  /** The last sequence of the journal. */
  readonly head: number
  /** Memories without a vector. */
  readonly pending: number
  /** Memories in the indexes. */
  readonly indexed: number
}

/** Reads the state of a project's index. */
export async function readSearchState(
  { db, projectId }: ProjectScope,
  readModel: LiveReadModel,
): Promise<SearchState> {
  const { generation, tables } = readModel
  const { rows } = await sql<SearchState>`
    select
      coalesce((select position from positions where projection = ${PGVECTOR}
        and generation = ${generation.generation} and project_id = ${projectId}), 0) as position,
      coalesce((select sequence from journal_heads where project_id = ${projectId}), 0) as head,
      (select count(*) from ${tables.waiting} where project_id = ${projectId}) as pending,
      coalesce((select memories from ${tables.lexicalStats} where project_id = ${projectId}), 0) as indexed`.execute(
    db,
  )
  return rows[0] ?? { position: 0, head: 0, pending: 0, indexed: 0 }
}

/** What an answer of the vector retriever lacks because of memories without a vector, in words. */
export function waitingForVectors(pending: number): string[] {
  if (pending === 0) return []
  const memories = pending === 1 ? 'memory has' : 'memories have'
  return [`${pending} ${memories} no vector yet and can be found by words only`]
}

/** Whoever writes a memory at a time reads it within a second: only more than one batch of the projector is worth a word. */
const USUAL_LAG = 100

/** What any answer lacks while much of the journal is not indexed yet, as after an import, in words. */
export function behindJournal({ head, position }: SearchState): string[] {
  if (head - position <= USUAL_LAG) return []
  return [
    `the index is ${grouped(head - position)} events behind the journal: what they say is not found yet`,
  ]
}

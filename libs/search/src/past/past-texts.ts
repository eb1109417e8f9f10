import { createHash } from 'node:crypto'
import type { Memory } from '@daybook/memory/state'
import type { GenerationTables } from '@daybook/pgvector/generation-tables'
import { memoriesAsOf, memoriesEver } from '@daybook/pgvector/read/past-memories'
import type { PastMoment } from '@daybook/pgvector/read/read-memories'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'

/** Which texts a search looks at: those of a moment, or all that there ever were. */
export type PastWanted = PastMoment | 'EVER'

/** A text of a memory, and one of the versions that have it. */
export interface PastText {
  readonly memoryId: string
  readonly version: number
  /** The hash of what is embedded of it, in hex. Versions with the same one are one text. */
  readonly hash: string
}

/** The texts as a relation with the columns of `memories` (`past-memories.ts`). */
export const pastRelation = (
  tables: GenerationTables,
  projectId: string,
  past: PastWanted,
): RawBuilder<unknown> =>
  past === 'EVER' ? memoriesEver(tables, projectId) : memoriesAsOf(tables, projectId, past.sequence)

/** The moment at which hits must not have expired. */
export const momentOf = (past: PastWanted): RawBuilder<unknown> =>
  past === 'EVER' ? sql`now()` : sql`${past.moment}::timestamptz`

/**
 * The texts that a search has found, by an id of their own. Ranking knows memories by their ids; of one memory,
 * several texts may be found.
 */
export interface FoundTexts {
  /**
   * Notes a text. Of several versions that have it, the first one noted becomes the hit.
   * @returns its id, a UUID: always the same for the same text
   */
  idOf(text: PastText): string
  /** The texts found so far, in place of the table `memories`; `memory_id` is the id of the text. */
  relation(): RawBuilder<unknown>
  /** Reads the memory of each text, in that version. A text that was erased meanwhile is left out. */
  read(scope: ProjectScope, ids: readonly string[]): Promise<Map<string, Memory>>
}

interface FoundRow extends Memory {
  readonly memory_id: string
}

/** Collects what a search of the past finds. */
export function collectTexts({ memories, versions }: GenerationTables, projectId: string): FoundTexts {
  const texts = new Map<string, PastText>()
  const relation = () => {
    const found = [...texts]
    return sql`(
      select e.project_id, given.id as memory_id, v.version, v.sequence, v.content_hash, e.state, e.state->>'kind' as kind,
        (e.state->>'createdAt')::timestamptz as created_at, (e.state->>'occurredAt')::timestamptz as occurred_at
      from unnest(
        ${found.map(([id]) => id)}::uuid[], ${found.map(([, text]) => text.memoryId)}::uuid[],
        ${found.map(([, text]) => text.version)}::int[]
      ) given(id, memory_id, version) cross join lateral (
        select version, sequence, content_hash from ${memories}
        where project_id = ${projectId} and memory_id = given.memory_id and version = given.version
        union all
        select version, sequence, content_hash from ${versions}
        where project_id = ${projectId} and memory_id = given.memory_id and version = given.version offset 0
      ) v cross join lateral (
        select project_id, data->'state' as state from events
        where project_id = ${projectId} and sequence = v.sequence and data is not null offset 0
      ) e
    )`
  }
  return {
    idOf(text) {
      const id = textId(text)
      if (!texts.has(id)) texts.set(id, text)
      return id
    },
    relation,
    async read({ db }, ids) {
      const { rows } = await sql<FoundRow>`
        select m.memory_id, m.state, m.version, m.sequence from ${relation()} m
        where m.memory_id = any(${ids}::uuid[])`.execute(db)
      return new Map(rows.map(({ memory_id, ...memory }) => [memory_id, memory]))
    },
  }
}

function textId({ memoryId, hash: text }: PastText): string {
  const hash = createHash('md5').update(`${memoryId}/${text}`).digest('hex')
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hash.slice(from, to))
    .join('-')
}

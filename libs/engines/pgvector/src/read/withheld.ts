import { authorsOf } from '@daybook/memory/authors'
import type { MemoryState } from '@daybook/memory/state'
import { isSelected } from '@daybook/memory/undo'
import type { Writer } from '@daybook/memory/writer'
import type { Queryable } from '@daybook/postgres/connect'
import { type RawBuilder, sql } from 'kysely'
import { noOtherAuthor } from '../authors.ts'

/** The writers in quarantine, as far as they concern one project. */
export interface Withheld {
  /** Ids of keys. */
  readonly keys: readonly string[]
  readonly agents: readonly string[]
}

interface WithheldRow {
  readonly keys: string[]
  readonly agents: string[]
}

/** Nobody is. */
export const NOTHING_WITHHELD: Withheld = { keys: [], agents: [] }

/**
 * Reads who is in quarantine now. No cache, so that a quarantine holds in every process at once: the table has a row for
 * each quarantine there ever was, and an index of those that last.
 * @param db bound to the project
 * @param onlyGlobal leaves out those of single projects; for a request that names none
 */
export async function readWithheld(db: Queryable, onlyGlobal = false): Promise<Withheld> {
  const { rows } = await sql<WithheldRow>`
    with lasting as materialized (
      select key_ids, agent from quarantines
      where released_at is null and (not ${onlyGlobal} or project_id is null)
    )
    select coalesce((select array_agg(distinct key::text) from lasting, unnest(key_ids) key), '{}') as keys,
      coalesce((select array_agg(distinct agent) filter (where agent is not null) from lasting), '{}') as agents`.execute(
    db,
  )
  return rows[0] ?? NOTHING_WITHHELD
}

/** Whether anybody is in quarantine. */
export const isAnythingWithheld = ({ keys, agents }: Withheld): boolean => keys.length + agents.length > 0

/** Whether a memory is withheld: an author of what it says now is in quarantine. */
export const isWithheld = (withheld: Withheld, state: MemoryState): boolean =>
  authorsOf(state).some((author) => isWithheldWriter(withheld, author))

/** Whether a writer is in quarantine. */
export const isWithheldWriter = ({ keys, agents }: Withheld, writer: Writer): boolean =>
  isSelected({ keys, agent: null }, writer) || (writer.agent !== undefined && agents.includes(writer.agent))

/**
 * The same as conditions on the table `memories` with the alias `m`. None while nobody is in quarantine: then searches
 * run the statements that they always ran.
 */
export function notWithheld({ keys, agents }: Withheld): RawBuilder<unknown>[] {
  return [
    ...(keys.length === 0
      ? []
      : [
          isNoneOf(sql`m.writer`, keys, 'uuid'),
          isNoneOf(sql`m.editor`, keys, 'uuid'),
          noOtherAuthor((author) => sql`${author}->>'key' = any(${keys}::text[])`),
        ]),
    ...(agents.length === 0
      ? []
      : [
          isNoneOf(sql`m.writer_agent`, agents, 'text'),
          isNoneOf(sql`m.editor_agent`, agents, 'text'),
          noOtherAuthor((author) => sql`${author}->>'agent' = any(${agents}::text[])`),
        ]),
  ]
}

const isNoneOf = (column: RawBuilder<unknown>, given: readonly string[], type: 'uuid' | 'text') =>
  sql`(${column} is null or ${column} <> all(${given}::${sql.raw(type)}[]))`

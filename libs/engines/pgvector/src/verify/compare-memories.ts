import { areTokenBitsWhole } from '@daybook/embeddings/store'
import { languageOf } from '@daybook/lexical-index/lexemes'
import type { Database } from '@daybook/postgres/connect'
import { isRelationMissing } from '@daybook/postgres/errors'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import {
  type AppliedMemory,
  appliedEvents,
  appliedMemories,
} from '@daybook/projection/apply/applied-memories'
import type { Generation, GenerationRef } from '@daybook/projection/generations/generations'
import { readPosition } from '@daybook/projection/positions/positions'
import type { ComparedMemory, ComparedPage } from '@daybook/projection/verify/verifiable'
import { type RawBuilder, sql } from 'kysely'
import { generationTables, PGVECTOR, wholeState } from '../generation-tables.ts'
import { memoryRow, relationOf } from '../write/write-memories.ts'
import {
  pastVersions,
  supersededTexts,
  type VersionRow,
  versionOf,
  versionRows,
  versionsRelation,
} from '../write/write-versions.ts'

/** The SHA-256 of a text in hexadecimal, computed by Postgres. */
const hashed = (text: RawBuilder<unknown>) => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

/** Both sides of a memory; null where a side has nothing. */
interface ComparedRow {
  readonly memory_id: string
  readonly wanted_row: string | null
  readonly held_row: string | null
  readonly wanted_versions: string | null
  readonly held_versions: string | null
  readonly wanted_vectors: string | null
  readonly held_vectors: string | null
  readonly pending: boolean
}

/**
 * Compares the rows of memories with the journal in one snapshot: the current state with its lexemes, the
 * versions before it, and the vectors, which must be those of the embedding store unless the memory still waits for
 * them. A text whose token bits the store has lost counts as one with other vectors. Postgres turns the rows of both sides into text, and only digests are compared. So no column can be
 * left out on one side.
 *
 * Versions are compared with the journal's events. A superseded text that the embedding store does not know
 * counts as a version with other lexemes.
 */
export async function compareMemories(
  { db, projectId }: ProjectScope,
  generation: Generation,
  memoryIds: readonly string[],
): Promise<ComparedPage> {
  const ref = { name: PGVECTOR, generation: generation.generation }
  const { memories, versions, vectors, waiting, lexicalStats } = generationTables(generation.generation)
  const language = languageOf({ lexicalStats }, projectId)
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const scope = projectScope(trx, projectId)
      const position = await readPosition(trx, ref, projectId)
      const applied = await appliedMemories(scope, ref, { memoryIds, position })
      const rows = applied.map(({ newest, firstSequence }) => memoryRow(newest, { number: 0, firstSequence }))
      const wantedVersions = await readVersions(scope, ref, position, applied)
      const result = await sql<ComparedRow>`
        with asked as materialized (
          select memory_id from unnest(${memoryIds}::uuid[]) as memory_id
        ), given as materialized (
          select memory_id, ${hashed(sql`row(kind, version, sequence, first_sequence, state, exact_key, context, agent,
            array(select jsonb_array_elements_text(labels)), array(select jsonb_array_elements_text(categories)), importance,
            created_at, occurred_at, expires_at, forgotten, content_hash, lexemes,
            (select coalesce(sum(cardinality(positions)), 0) from unnest(lexemes)))::text`)} as hash,
            decode(content_hash, 'hex') as text_hash, forgotten
          from ${relationOf(rows)}
          cross join lateral (select to_tsvector(${language}, lexical_text) as lexemes offset 0) analysed
        ), held as materialized (
          select memory_id, ${hashed(sql`row(kind, version, sequence, first_sequence, ${wholeState('m')}, exact_key, context, agent,
            labels, categories, importance, created_at, occurred_at, expires_at, forgotten,
            encode(content_hash, 'hex'), lexemes, length::bigint)::text`)} as hash
          from ${memories} m where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])
        ), wanted_versions as materialized (
          select memory_id, ${hashed(sql`string_agg(row(version, sequence, content_hash, to_tsvector(${language}, lexical_text),
            lexical_text is not null)::text, ',' order by version)`)} as hash
          from ${versionsRelation(wantedVersions)} group by memory_id
        ), held_versions as materialized (
          select memory_id, ${hashed(sql`string_agg(row(version, sequence, encode(content_hash, 'hex'), lexemes,
            lexemes is not null and exists (
              select from embeddings e
              where e.project_id = v.project_id and e.model_id = ${generation.modelId} and e.content_hash = v.content_hash
            ))::text, ',' order by version)`)} as hash
          from ${versions} v where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])
          group by memory_id
        ), held_vectors as materialized (
          select memory_id,
            string_agg(row(chunk, span_start, span_end, sha256(halfvec_send(embedding::halfvec)))::text, ',' order by chunk)
              || case when bool_or(number <> (select m.number from ${memories} m
                where m.project_id = v.project_id and m.memory_id = v.memory_id)) then ' of another number' else '' end as vectors
          from ${vectors} v where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])
          group by memory_id
        )
        select memory_id, given.hash as wanted_row, held.hash as held_row,
          wanted_versions.hash as wanted_versions, held_versions.hash as held_versions,
          case when given.memory_id is null or given.forgotten or awaited then null else (
            select coalesce(string_agg(row(chunk, span_start, span_end, sha256(halfvec_send(embedding::halfvec)))::text, ','
              order by chunk), 'none')
            from embedding_chunks
            where project_id = ${projectId} and model_id = ${generation.modelId}
              and content_hash = given.text_hash
          ) || coalesce((
            select ' without token bits' from embeddings e
            where project_id = ${projectId} and model_id = ${generation.modelId} and content_hash = given.text_hash
              and not ${areTokenBitsWhole({ projectId, modelId: generation.modelId })}
          ), '') end as wanted_vectors,
          held_vectors.vectors as held_vectors,
          awaited as pending
        from asked left join given using (memory_id) left join held using (memory_id)
          left join wanted_versions using (memory_id) left join held_versions using (memory_id)
          left join held_vectors using (memory_id)
          -- One that waits for another text, or for one that is in no queue, waits in vain.
          cross join lateral (select exists (
            select from ${waiting} w
            where w.project_id = ${projectId} and w.memory_id = asked.memory_id and w.content_hash = given.text_hash
              and held.memory_id is not null and not given.forgotten
          ) and exists (
            select from embeddings
            where project_id = ${projectId} and model_id = ${generation.modelId}
              and content_hash = given.text_hash offset 0) as awaited) waits`.execute(trx)
      const found = new Map(result.rows.map((row) => [row.memory_id, compared(row)]))
      return {
        // In the given order, so that digests over many memories do not depend on a query plan.
        memories: memoryIds.flatMap((id) => found.get(id) ?? []),
        pending: result.rows.filter((row) => row.pending).length,
      }
    })
}

/** The rows of the versions before the present ones of these memories. */
async function readVersions(
  scope: ProjectScope,
  ref: GenerationRef,
  position: number,
  applied: readonly AppliedMemory[],
): Promise<VersionRow[]> {
  const revised = applied.filter(({ newest, firstSequence }) => newest.sequence !== firstSequence)
  const events = await appliedEvents(scope, ref, {
    memoryIds: revised.map(({ newest }) => newest.memoryId),
    position,
  })
  const written = events.map(versionOf)
  return versionRows(pastVersions(written), supersededTexts(written))
}

/** Null if the first part is: then there is no such memory. */
const whole = (...parts: readonly (string | null)[]): string | null =>
  parts[0] === null ? null : parts.join(' ')

function compared(row: ComparedRow): ComparedMemory {
  const { wanted_row: wanted, held_row: held } = row
  const differs = [
    ...(wanted !== null && held === null ? ['missing'] : []),
    ...(wanted === null && held !== null ? ['surplus'] : []),
    ...(wanted !== null && held !== null && wanted !== held ? ['row'] : []),
    ...(row.wanted_versions !== row.held_versions ? ['versions'] : []),
    ...(row.wanted_vectors !== row.held_vectors ? ['vectors'] : []),
  ]
  return {
    memoryId: row.memory_id,
    wanted: whole(wanted, row.wanted_versions, row.wanted_vectors),
    held: whole(held, row.held_versions, row.held_vectors),
    differs,
  }
}

/**
 * Why a generation can be neither written nor read: a table or column is missing, for example after a restore
 * of a dump that left it out. Null if all are there. The statement selects every column and no row.
 */
export async function findProblem(db: Database, generation: number): Promise<string | null> {
  const { memories, versions, postings, formerPostings, lexicalStats, vectors, waiting } =
    generationTables(generation)
  const looks = [
    sql`select project_id, memory_id, number, kind, version, sequence, first_sequence, state, exact_key, context, agent,
      labels, categories, importance, created_at, occurred_at, expires_at, forgotten, lexemes, length, content_hash,
      session, supersedes, part_of, filter_labels, filter_categories, writer, editor,
      writer_agent, editor_agent from ${memories} limit 0`,
    sql`select project_id, memory_id, version, sequence, content_hash, lexemes from ${versions} limit 0`,
    sql`select project_id, lexeme, segment, entries, removed, recent from ${postings} limit 0`,
    sql`select project_id, lexeme, segment, entries, removed, recent from ${formerPostings} limit 0`,
    sql`select project_id, memories, total_length, next_number, language from ${lexicalStats} limit 0`,
    sql`select project_id, memory_id, chunk, span_start, span_end, embedding, number from ${vectors} limit 0`,
    sql`select project_id, memory_id, content_hash from ${waiting} limit 0`,
  ]
  try {
    await sql`select ${sql.join(looks.map((look) => sql`exists (${look})`))}`.execute(db)
  } catch (error) {
    if (isRelationMissing(error)) return (error as Error).message
    throw error
  }
  return null
}

import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { GenerationRef } from '../generations/generation-ref.ts'

/** A project whose turn it is. */
export interface DueProject {
  readonly projectId: string
  /** The sequence up to which the walk through it has come. */
  readonly walked: number
  /** Events through which the walk is to go without a rest. */
  readonly hurried: number
}

/** Notes the projects that the generation is written for and that were never looked at. */
export async function addProjects(db: Queryable, place: GenerationRef): Promise<void> {
  await sql`
    insert into self_checks (projection, generation, project_id)
    select p.projection, p.generation, p.project_id from positions p
    where p.projection = ${place.name} and p.generation = ${place.generation} and not exists (
      select from self_checks s
      where s.projection = p.projection and s.generation = p.generation and s.project_id = p.project_id)
    on conflict do nothing`.execute(db)
}

/**
 * Takes the project that was looked at least recently, where that is longer ago than `afterMs` or something was found in it.
 * Replicas get different ones.
 * @returns null where none is due, or the generation is not live
 */
export async function takeDue(
  db: Queryable,
  place: GenerationRef,
  afterMs: number,
): Promise<DueProject | null> {
  const { rows } = await sql<DueProject>`
    update self_checks set checked_at = now()
    where projection = ${place.name} and generation = ${place.generation} and project_id = (
      select project_id from self_checks
      where projection = ${place.name} and generation = ${place.generation}
        and (hurried > 0 or checked_at < now() - ${afterMs}::int * interval '1 millisecond')
        and exists (select from generations live
          where live.projection = ${place.name} and live.generation = ${place.generation} and live.status = 'live')
      order by checked_at limit 1 for update skip locked)
    returning project_id as "projectId", walked, hurried`.execute(db)
  return rows[0] ?? null
}

/** What a look at a project came to. */
export interface Look {
  readonly walked: number
  readonly hurried: number
  /** Memories that differed from the journal and were written anew. */
  readonly differed: number
  /** Of them, those that differ still. */
  readonly unhealed: number
  /** Whether this look began a walk: those of the walk before that differed still are forgotten then. */
  readonly begins: boolean
  /** What is wrong with the journal itself, in words; null where nothing is, or nobody looked. */
  readonly journalProblem: string | null
  /** One of them and in what, in words; null where none differed. */
  readonly example: string | null
}

export async function recordLook(
  db: Queryable,
  place: GenerationRef,
  projectId: string,
  { walked, hurried, differed, unhealed, begins, example, journalProblem }: Look,
): Promise<void> {
  await sql`
    update self_checks set walked = ${walked}, hurried = ${hurried}, checked_at = now(),
      journal_problem = coalesce(${journalProblem}::text, case when ${begins} then null else journal_problem end),
      unhealed = greatest(case when ${begins} then 0 else unhealed end, ${unhealed}::int),
      differed = differed + ${differed}::int, example = coalesce(${example}, example),
      differed_at = case when ${differed}::int > 0 then now() else differed_at end
    where projection = ${place.name} and generation = ${place.generation} and project_id = ${projectId}`.execute(
    db,
  )
}

/** What the self-check of a generation has found in all projects together. */
export interface SelfCheckState {
  /** Milliseconds since anything was looked at; null where nothing ever was, or there is nothing. */
  readonly idleMs: number | null
  /** Memories that differed from the journal and were written anew, since the generation began. */
  readonly differed: number
  /** Milliseconds since the last of them; null where there was none. */
  readonly differedMs: number | null
  readonly example: string | null
  /** Memories that differ still. */
  readonly unhealed: number
  /** What is wrong with a project's journal itself, in words; null where nothing is. */
  readonly journalProblem: string | null
}

export async function readSelfChecks(db: Queryable, place: GenerationRef): Promise<SelfCheckState> {
  const { rows } = await sql<SelfCheckState>`
    select
      (extract(epoch from now() - nullif(max(checked_at), '-infinity')) * 1000)::float8 as "idleMs",
      coalesce(sum(differed), 0)::bigint as differed,
      (extract(epoch from now() - max(differed_at)) * 1000)::float8 as "differedMs",
      (array_agg(example order by differed_at desc nulls last))[1] as example,
      coalesce(sum(unhealed), 0)::bigint as unhealed,
      max(project_id || ': ' || journal_problem) as "journalProblem"
    from self_checks where projection = ${place.name} and generation = ${place.generation}`.execute(db)
  return (
    rows[0] ?? {
      idleMs: null,
      differed: 0,
      differedMs: null,
      example: null,
      unhealed: 0,
      journalProblem: null,
    }
  )
}

import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { GenerationRef } from '../generations/generations.ts'

/** A project whose turn it is. */
export interface DueProject {
  readonly projectId: string
  /** The sequence that the walk through the project has reached. */
  readonly walked: number
  /** The number of events that the walk has still to go through without resting. */
  readonly hurried: number
}

/** Adds the projects that the generation is written for and that were never looked at. */
export async function addProjects(db: Queryable, ref: GenerationRef): Promise<void> {
  await sql`
    insert into self_checks (projection, generation, project_id)
    select p.projection, p.generation, p.project_id from positions p
    where p.projection = ${ref.name} and p.generation = ${ref.generation} and not exists (
      select from self_checks s
      where s.projection = p.projection and s.generation = p.generation and s.project_id = p.project_id)
    on conflict do nothing`.execute(db)
}

/**
 * Takes the project that was looked at least recently, if that was more than `afterMs` ago or its walk is
 * hurrying. Projects with parked events, which a look retries, come first once a minute. Replicas get different projects.
 * @returns null if none is due, or the generation is not live
 */
export async function takeDue(
  db: Queryable,
  ref: GenerationRef,
  afterMs: number,
): Promise<DueProject | null> {
  const { rows } = await sql<DueProject>`
    update self_checks set checked_at = now()
    where projection = ${ref.name} and generation = ${ref.generation} and project_id = (
      select project_id from self_checks due
      where projection = ${ref.name} and generation = ${ref.generation}
        and (hurried > 0 or checked_at < now() - ${afterMs}::int * interval '1 millisecond')
        and exists (select from generations live
          where live.projection = ${ref.name} and live.generation = ${ref.generation} and live.status = 'live')
      order by checked_at < now() - interval '1 minute' and exists (select from parked_events p
          where p.projection = ${ref.name} and p.generation = ${ref.generation} and p.project_id = due.project_id
            and p.dropped_at is null) desc, checked_at
      limit 1 for update of due skip locked)
    returning project_id as "projectId", walked, hurried`.execute(db)
  return rows[0] ?? null
}

/** The result of a look at a project. */
export interface Look {
  readonly walked: number
  readonly hurried: number
  /** Memories that differed from the journal and were rewritten. */
  readonly differed: number
  /** Of these, the ones that still differ. */
  readonly unhealed: number
  /**
   * Whether this look began a walk. The count of memories that still differed in the walk before is reset
   * then.
   */
  readonly begins: boolean
  /** What is wrong with the journal itself, in words; null if nothing is, or nobody looked. */
  readonly journalProblem: string | null
  /** One memory that differed and its differing parts, in words; null if none differed. */
  readonly example: string | null
}

/** Records the result of a look in the project's row. */
export async function recordLook(
  db: Queryable,
  ref: GenerationRef,
  projectId: string,
  { walked, hurried, differed, unhealed, begins, example, journalProblem }: Look,
): Promise<void> {
  await sql`
    update self_checks set walked = ${walked}, hurried = ${hurried}, checked_at = now(),
      journal_problem = coalesce(${journalProblem}::text, case when ${begins} then null else journal_problem end),
      unhealed = greatest(case when ${begins} then 0 else unhealed end, ${unhealed}::int),
      differed = differed + ${differed}::int, example = coalesce(${example}, example),
      differed_at = case when ${differed}::int > 0 then now() else differed_at end
    where projection = ${ref.name} and generation = ${ref.generation} and project_id = ${projectId}`.execute(
    db,
  )
}

/** What the self-check of a generation has found, over all projects. */
export interface SelfCheckState {
  /** Milliseconds since the last look; null if there was none. */
  readonly idleMs: number | null
  /** Memories that differed from the journal and were rewritten since the generation was created. */
  readonly differed: number
  /** Milliseconds since the last of these; null if there was none. */
  readonly differedMs: number | null
  readonly example: string | null
  /** Memories that still differ. */
  readonly unhealed: number
  /** What is wrong with a project's journal itself, in words; null if nothing is. */
  readonly journalProblem: string | null
}

/** Reads what the self-check of a generation has found so far. */
export async function readSelfChecks(db: Queryable, ref: GenerationRef): Promise<SelfCheckState> {
  const { rows } = await sql<SelfCheckState>`
    select
      (extract(epoch from now() - nullif(max(checked_at), '-infinity')) * 1000)::float8 as "idleMs",
      coalesce(sum(differed), 0)::bigint as differed,
      (extract(epoch from now() - max(differed_at)) * 1000)::float8 as "differedMs",
      (array_agg(example order by differed_at desc nulls last))[1] as example,
      coalesce(sum(unhealed), 0)::bigint as unhealed,
      max(project_id || ': ' || journal_problem) as "journalProblem"
    from self_checks where projection = ${ref.name} and generation = ${ref.generation}`.execute(db)
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

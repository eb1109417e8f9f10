import type { AppendRequest } from '@daybook/journal/append/append-request'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { DaybookError, LimitExceededError } from '@daybook/memory/errors'
import type { Writer } from '@daybook/memory/writer'
import {
  isAnythingWithheld,
  isWithheldWriter,
  readWithheld,
  type Withheld,
} from '@daybook/pgvector/read/access'
import { type ProjectLimits, readProjects } from '@daybook/postgres/access/projects'
import { bindToProject, type Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { createTokenBuckets } from './http/key-budget.ts'

/*
 * What a project asks before a request is worked on, and before anything is appended to its journal: its limits that
 * are about speed, and its quarantines. Limits of what a project holds are checked where it is counted, in the database
 * (`count_usage`). The limits of keys are in `http/key-budget.ts`.
 */

/**
 * Looks at requests before they are appended.
 * @returns them, with what their decisions have to know
 * @throws what refuses all of them
 */
type WriteCheck = (
  scope: ProjectScope,
  requests: readonly AppendRequest[],
) => Promise<readonly AppendRequest[]>

/**
 * The same writer, which asks the checks one after another.
 * @param noteExpiry told when a memory that was written expires (RFC 3339)
 */
export function checkWrites(
  writer: JournalWriter,
  checks: readonly WriteCheck[],
  noteExpiry: (expiresAt: string) => void = () => {},
): JournalWriter {
  return {
    ...writer,
    async appendMany(scope, requests) {
      let checked = requests
      for (const check of checks) checked = await check(scope, checked)
      const outcomes = await writer.appendMany(scope, checked)
      for (const outcome of outcomes) {
        if (!('appended' in outcome) || outcome.appended.written === null) continue
        const { expiresAt, forgottenAt } = outcome.appended.memory.state
        if (expiresAt !== null && forgottenAt === null) noteExpiry(expiresAt)
      }
      return outcomes
    },
  }
}

/** How long limits are cached, in milliseconds: a change counts after that. */
const LIMITS_MS = 2_000

/** How long the count of waiting texts is cached, in milliseconds. */
const QUEUE_MS = 500

/** Checks the limits of projects. */
export interface LimitChecks {
  /**
   * Counts a request of the project.
   * @throws LimitExceededError if there were as many as allowed in the last second
   */
  request(projectId: string): Promise<void>
  /** Refuses what would give the embedder more work than the project may. @throws LimitExceededError */
  readonly queue: WriteCheck
  /** Call this when limits have changed. */
  forget(): void
}

/** Creates checks that know nothing yet. */
export function createLimitChecks(db: Database): LimitChecks {
  const limits = new LRUCache<string, Promise<ProjectLimits | null>>({ max: 10_000, ttl: LIMITS_MS })
  const queues = new LRUCache<string, Promise<number>>({ max: 10_000, ttl: QUEUE_MS })
  const buckets = createTokenBuckets()

  const limitsOf = (projectId: string) =>
    cached(limits, projectId, async () => {
      const [project] = await readProjects(projectScope(db, projectId).db, [projectId])
      return project?.limits ?? null
    })

  return {
    async request(projectId) {
      const most = (await limitsOf(projectId))?.requestsPerSecond ?? null
      if (most === null) return
      // After a rest, a second's worth may come at once.
      if (buckets.take(projectId, 1, { perSecond: most, most }) > 0)
        throw new LimitExceededError('requestsPerSecond', most)
    },
    async queue(scope, requests) {
      // Only what is forgotten needs no vector.
      if (requests.every(({ command }) => command.type === 'forget')) return requests
      const most = (await limitsOf(scope.projectId))?.queuedTexts ?? null
      if (most === null) return requests
      const queued = await cached(queues, scope.projectId, () => countQueued(scope))
      if (queued >= most) throw new LimitExceededError('queuedTexts', most)
      return requests
    },
    forget: () => limits.clear(),
  }
}

/** Overlapping reads share one; a failed one is not kept. */
function cached<T extends object | number | null>(
  cache: LRUCache<string, Promise<T>>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key)
  if (known !== undefined) return known
  const reading = read()
  cache.set(key, reading)
  reading.catch(() => cache.delete(key))
  return reading
}

/** Texts of the project without vectors. */
async function countQueued({ db, projectId }: ProjectScope): Promise<number> {
  const { rows } = await sql<{ queued: number }>`
    select count(*) as queued from embeddings where project_id = ${projectId} and embedded_at is null`.execute(
    db,
  )
  return rows[0]?.queued ?? 0
}

/** How long the writers in quarantine are cached, in milliseconds, before a write. Reads look them up each time. */
export const KNOWN_MS = 2_000

/** Refuses what writers in quarantine would write. */
export interface QuarantineChecks {
  /** @throws DaybookError QUARANTINED @param projectId null: the request names none */
  requireFree(projectId: string | null, writer: Writer): Promise<void>
  /**
   * For what writes into whichever project. It looks each time.
   * @throws DaybookError QUARANTINED if the writer is in quarantine in any
   */
  requireFreeEverywhere(writer: Writer): Promise<void>
  /** Refuses what an agent in quarantine would write, and lets no decision bring its words back. @throws DaybookError QUARANTINED */
  readonly agents: WriteCheck
  /** Call this when quarantines have changed. Other gateways use their cache for up to 2 s more. */
  forget(): void
}

/**
 * Creates checks that know nothing yet. What another gateway still accepts in those 2 s is withheld like everything
 * else that the writer wrote.
 */
export function createQuarantineChecks(db: Database): QuarantineChecks {
  const known = new LRUCache<string, Promise<Withheld>>({ max: 10_000, ttl: KNOWN_MS })

  const withheldIn = (projectId: string | null): Promise<Withheld> =>
    cached(known, projectId ?? '', () =>
      readWithheld(projectId === null ? db : bindToProject(db, projectId), projectId === null),
    )
  return {
    async requireFree(projectId, writer) {
      if (isWithheldWriter(await withheldIn(projectId), writer)) throw quarantined(writer)
    },
    async requireFreeEverywhere(writer) {
      if (isWithheldWriter(await readWithheld(db), writer)) throw quarantined(writer)
    },
    async agents({ projectId }, requests) {
      const withheld = await withheldIn(projectId)
      if (!isAnythingWithheld(withheld)) return requests
      const isWithheld = (writer: Writer) => isWithheldWriter(withheld, writer)
      for (const request of requests) {
        const { writer } = request.metadata
        const agent = agentOf(request)
        if (writer !== undefined && agent !== null && isWithheld({ ...writer, agent }))
          throw quarantined({ ...writer, agent })
      }
      return requests.map((request) => ({ ...request, isWithheld }))
    },
    forget: () => known.clear(),
  }
}

/** The agent that a command says to be, if it says so. */
function agentOf({ command }: AppendRequest): string | null {
  const agent = 'input' in command ? command.input.agent : null
  return typeof agent === 'string' ? agent : null
}

const quarantined = ({ key, agent }: Writer): DaybookError =>
  new DaybookError(
    'QUARANTINED',
    `This key (${key})${agent === undefined ? '' : `, or the agent "${agent.slice(0, 64)}",`} is in quarantine: it may read, and writes nothing. Whoever administers the project sees why, and can release it: daybook quarantine list`,
  )

import type { AppendRequest } from '@daybook/journal/append/append-request'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { LimitExceededError } from '@daybook/memory/errors'
import { type ProjectLimits, readProjects } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'

/*
 * The limits of projects that are about speed. Those of what a project holds are checked where it is counted,
 * in the database (`count_usage`).
 */

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
  /** The same writer, which refuses what would give the embedder more work than the project may. */
  limit(writer: JournalWriter): JournalWriter
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
  const checkQueue = async (scope: ProjectScope): Promise<void> => {
    const most = (await limitsOf(scope.projectId))?.queuedTexts ?? null
    if (most === null) return
    const queued = await cached(queues, scope.projectId, () => countQueued(scope))
    if (queued >= most) throw new LimitExceededError('queuedTexts', most)
  }

  return {
    async request(projectId) {
      const most = (await limitsOf(projectId))?.requestsPerSecond ?? null
      if (most === null) return
      // After a rest, a second's worth may come at once.
      if (buckets.take(projectId, 1, { perSecond: most, most }) > 0)
        throw new LimitExceededError('requestsPerSecond', most)
    },
    limit: (writer) => ({
      ...writer,
      async appendMany(scope, requests) {
        if (requests.some(asksForVectors)) await checkQueue(scope)
        return writer.appendMany(scope, requests)
      },
    }),
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

const asksForVectors = ({ command }: AppendRequest): boolean => command.type !== 'forget'

/** Texts of the project without vectors. */
async function countQueued({ db, projectId }: ProjectScope): Promise<number> {
  const { rows } = await sql<{ queued: number }>`
    select count(*) as queued from embeddings where project_id = ${projectId} and embedded_at is null`.execute(
    db,
  )
  return rows[0]?.queued ?? 0
}

/** How fast a bucket fills, and how much it holds. */
interface BucketSize {
  readonly perSecond: number
  /** What it begins with, and the most that it saves up. */
  readonly most: number
}

/** A token bucket for each key of a map, such as each API key or project. */
interface TokenBuckets {
  /**
   * Takes so much, or nothing if less is there.
   * @returns 0 if it was taken; else the seconds after which it would be, if nothing else is taken
   */
  take(key: string, amount: number, size: BucketSize): number
}

/** Buckets kept at a time. One that nobody has used for longest starts again full, as it would be by then. */
const KEYS = 10_000

/** @param now milliseconds, for tests */
export function createTokenBuckets(now: () => number = () => performance.now()): TokenBuckets {
  const buckets = new LRUCache<string, { readonly left: number; readonly at: number }>({ max: KEYS })
  return {
    take(key, amount, { perSecond, most }) {
      const at = now()
      const before = buckets.get(key) ?? { left: most, at }
      const left = Math.min(most, before.left + ((at - before.at) / 1_000) * perSecond)
      const isTaken = left >= amount
      buckets.set(key, { left: isTaken ? left - amount : left, at })
      return isTaken ? 0 : (amount - left) / perSecond
    },
  }
}

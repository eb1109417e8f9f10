import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { refusalOf } from '@daybook/postgres/connect'
import { isReachable } from '@daybook/postgres/migrate'
import { describeDiverged } from '@daybook/projection/positions/divergence'
import { pause } from '@daybook/runtime/backoff'
import type { Readiness } from '@daybook/runtime/probes'
import { reasonOf } from '@daybook/runtime/reason-of'
import { checkEmbedder } from '../checks/machine.ts'
import type { GivenParts } from '../context.ts'

/** The longest that `/ready` waits for a look at the embedder, in milliseconds. */
const LOOK_MS = 1_000
/** How long a look counts that found nothing missing, or something, in milliseconds: a provider charges for each. */
const FINE_MS = 60_000
const MISSING_MS = 10_000

/**
 * Checks what every request needs: a database that this version may read, and a live generation that agrees
 * with the journal. Without an embedder a gateway is ready but degraded, because words are found; `daybook doctor`
 * says the same (`checks/embedder.ts`).
 */
export function createReadiness(parts: GivenParts): () => Promise<Readiness> {
  const { db } = parts
  const degraded = createLook(parts)
  return async () => {
    const refusal = refusalOf(db)
    if (refusal !== null) return { ready: false, problems: [refusal.message] }
    if (!(await isReachable(db))) return { ready: false, problems: ['the database cannot be reached'] }
    try {
      await liveReadModel(db)
      const problems = await describeDiverged(db)
      return { ready: problems.length === 0, problems, degraded: await degraded() }
    } catch (error) {
      return { ready: false, problems: [reasonOf(error)] }
    }
  }
}

/** What the embedder's check finds, looked up now and then. Of a look that takes longer, the last one counts. */
function createLook(parts: GivenParts): () => Promise<readonly string[]> {
  let found: readonly string[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null
  const look = async (): Promise<void> => {
    const { status, message, advice } = await checkEmbedder(parts)
    found = status === 'OK' ? [] : [advice === null ? message : `${message}. ${advice}`]
  }
  return async () => {
    const countsMs = found.length === 0 ? FINE_MS : MISSING_MS
    if (looking === null && performance.now() - lookedAt > countsMs) {
      lookedAt = performance.now()
      looking = look()
        .catch((error: unknown) => parts.logger.warn({ error }, 'the embedder could not be looked at'))
        .finally(() => {
          looking = null
        })
    }
    if (looking !== null) await Promise.race([looking, pause(LOOK_MS)])
    return found
  }
}

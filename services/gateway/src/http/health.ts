import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { refusalOf } from '@daybook/postgres/connect'
import { isReachable } from '@daybook/postgres/migrate'
import { describeDiverged } from '@daybook/projection/positions/divergence'
import { createLook } from '@daybook/runtime/look'
import type { Readiness } from '@daybook/runtime/probes'
import { reasonOf } from '@daybook/runtime/reason-of'
import { checkNats } from '../checks/bus.ts'
import type { Finding } from '../checks/check.ts'
import { checkEngines } from '../checks/engines.ts'
import { checkEmbedder } from '../checks/machine.ts'
import type { GivenParts } from '../context.ts'

/** How long a look at the embedder counts that found nothing missing, in milliseconds: a provider charges for each. */
const FINE_MS = 60_000
/** How long other looks count, in milliseconds. */
const LOOK_MS = 10_000

/**
 * Checks what every request needs: a database that this version may read, and a live generation that agrees
 * with the journal. Without NATS, Typesense or an embedder a gateway is ready but degraded, because words are found;
 * `daybook doctor` says the same (`checks`).
 */
export function createReadiness(parts: GivenParts): () => Promise<Readiness> {
  const { db } = parts
  const look = createLooks(parts)
  return async () => {
    const refusal = refusalOf(db)
    if (refusal !== null) return { ready: false, problems: [refusal.message] }
    const degraded = look()
    if (!(await isReachable(db))) return { ready: false, problems: ['the database cannot be reached'] }
    try {
      await liveReadModel(db)
      const problems = await describeDiverged(db)
      return { ready: problems.length === 0, problems, degraded: await degraded }
    } catch (error) {
      return { ready: false, problems: [reasonOf(error)] }
    }
  }
}

/** What the checks of doctor find of the servers that a gateway can do without. */
function createLooks(parts: GivenParts): () => Promise<readonly string[]> {
  const lookAt = (part: string, check: () => Promise<readonly Finding[]>, fineMs: number) =>
    createLook(
      async () =>
        (await check())
          .filter(({ status }) => status !== 'OK')
          .map(({ message, advice }) => (advice === null ? message : `${message}. ${advice}`)),
      {
        fineMs,
        missingMs: LOOK_MS,
        onError: (error) => parts.logger.warn({ error }, `${part} could not be looked at`),
      },
    )
  const looks = [
    lookAt('NATS', async () => [await checkNats(parts)], LOOK_MS),
    lookAt('the engines', () => checkEngines(parts), LOOK_MS),
    lookAt('the embedder', async () => [await checkEmbedder(parts)], FINE_MS),
  ]
  return async () => (await Promise.all(looks.map((look) => look()))).flat()
}

import { ENGINES } from '@daybook/engines/engines'
import type { Engine, EngineReport } from '@daybook/projection/engine/engine'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import { type Check, type CheckedParts, failed } from './check.ts'

/** The engines outside Postgres. */
export const OUTER_ENGINES = ENGINES.filter(({ inspect }) => inspect !== undefined)

/** Inspects a configured engine; null if nothing was ever written there. */
export async function lookAtEngine(
  engine: Engine,
  { db, config }: Pick<CheckedParts, 'db' | 'config'>,
): Promise<EngineReport | null> {
  const live = await liveGeneration(db, engine.name)
  return live === null ? null : ((await engine.inspect?.(config, live)) ?? null)
}

/** Checks each engine that is configured and was written to. The settings check covers the others. */
export async function checkEngines(parts: CheckedParts): Promise<Check[]> {
  const looks = OUTER_ENGINES.filter((engine) => engine.isConfigured(parts.config)).map(async (engine) => {
    try {
      const report = await lookAtEngine(engine, parts)
      if (report === null) return []
      const { status, message, advice } = report
      return [{ name: engine.name, status, message, advice }]
    } catch (error) {
      // One that cannot be looked at hides no other.
      parts.logger.warn({ error, engine: engine.name }, 'an engine could not be looked at')
      const finding = failed(`It could not be looked at: ${reasonOf(error)}`, 'The gateway’s log says more')
      return [{ name: engine.name, ...finding }]
    }
  })
  return (await Promise.all(looks)).flat()
}

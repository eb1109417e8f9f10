import { ENGINES } from '@daybook/engines/engines'
import type { Engine, EngineReport } from '@daybook/projection/engine/engine'
import { liveGeneration } from '@daybook/projection/generations/generations'
import type { Check, CheckedParts } from './check.ts'

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
    const report = await lookAtEngine(engine, parts)
    if (report === null) return []
    const { status, message, advice } = report
    return [{ name: engine.name, status, message, advice }]
  })
  return (await Promise.all(looks)).flat()
}

import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { readServerFacts } from '@daybook/postgres/inspect/server-facts'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/with-timeout'
import type { CheckedParts } from './check.ts'
import { lookAtEngine, OUTER_ENGINES } from './engines.ts'

/** A part that Daybook works with, as this process sees it. */
export interface SystemPart {
  /** `database`, `nats`, an engine's name such as `typesense`, `embedder` */
  readonly name: string
  readonly configured: boolean
  /** Why it cannot be used, in words; null if it can, or is not configured. */
  readonly problem: string | null
  /** Null if it is not known. */
  readonly version: string | null
}

/** The longest a part may take to answer, in milliseconds. */
const ANSWER_MS = 5_000

/** Asks all parts for a sign of life, in parallel. It does not throw. */
export function describeParts(parts: CheckedParts): Promise<SystemPart[]> {
  const { bus, db, config } = parts
  const described = [
    describe('database', true, async () => ({ version: (await readServerFacts(db)).version })),
    describe('nats', config.nats !== undefined, () => bus.status()),
    ...OUTER_ENGINES.map((engine) =>
      describe(
        engine.name,
        engine.isConfigured(config),
        async () =>
          (await lookAtEngine(engine, parts)) ?? { problem: 'nothing was ever written there', version: null },
      ),
    ),
    describe('embedder', config.embedder !== 'none', () => describeEmbedder(parts)),
  ]
  return Promise.all(described)
}

interface Described {
  readonly problem?: string | null
  readonly version: string | null
}

async function describe(
  name: string,
  configured: boolean,
  look: () => Promise<Described>,
): Promise<SystemPart> {
  if (!configured) return { name, configured, problem: null, version: null }
  try {
    const { problem = null, version } = await withTimeout(ANSWER_MS, look())
    return { name, configured, problem, version }
  } catch (error) {
    return { name, configured, problem: reasonOf(error), version: null }
  }
}

/** Describes the embedder of the live generation's model, which searches use. */
async function describeEmbedder({ db, embedders }: CheckedParts): Promise<Described> {
  const { modelId } = (await liveGeneration(db, PGVECTOR)) ?? embedders.preferred
  const embedder = await embedders.of(modelId)
  return { version: modelId, problem: embedder === null ? `there is none for ${modelId}` : null }
}

import { readServerFacts } from '@daybook/postgres/inspect/server-facts'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/with-timeout'
import type { CheckedParts } from './check.ts'
import { lookAtEngine, OUTER_ENGINES } from './engines.ts'

/** Something that Daybook works with, as this process reaches it. */
export interface SystemPart {
  /** `database`, `nats`, an engine's name such as `typesense`, `embedder` */
  readonly name: string
  readonly configured: boolean
  /** Why it cannot be used, in words; null where it can, or is not configured. */
  readonly problem: string | null
  /** Null where it is not known. */
  readonly version: string | null
}

/** Milliseconds that one part may take to answer. */
const ANSWER_MS = 5_000

/** Asks each part for a sign of life, at once. It does not throw. */
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

/** By the model of the live generation, as searches use it. */
async function describeEmbedder({ db, embedders }: CheckedParts): Promise<Described> {
  const { modelId } = (await liveGeneration(db, 'pgvector')) ?? embedders.preferred
  const embedder = await embedders.of(modelId)
  return { version: modelId, problem: embedder === null ? `there is none for ${modelId}` : null }
}

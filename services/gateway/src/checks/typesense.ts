import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import { createTypesenseClient } from '@daybook/typesense/client/client'
import { inspectTypesense, type TypesenseFacts } from '@daybook/typesense/read/inspect'
import { collectionName, DEFAULT_BASE_NAME } from '@daybook/typesense/write/collection'
import { TYPESENSE } from '@daybook/typesense/write/generation'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'

/** Milliseconds that each of its answers may take. */
const ANSWER_MS = 2_000

/** What a look at the configured Typesense found; null where none is configured, or nothing was ever written there. */
export async function lookAtTypesense({
  db,
  config,
}: Pick<CheckedParts, 'db' | 'config'>): Promise<{ live: Generation; facts: TypesenseFacts } | null> {
  const live = await liveGeneration(db, TYPESENSE)
  if (config.typesense === undefined || live === null) return null
  const client = createTypesenseClient({ ...config.typesense, timeoutMs: ANSWER_MS })
  try {
    return { live, facts: await inspectTypesense(client, live) }
  } finally {
    client.close()
  }
}

/** Null where none is configured, or nothing was ever written: what to say of that is the settings' check's. */
export async function checkTypesense(parts: CheckedParts): Promise<Finding | null> {
  const found = await lookAtTypesense(parts)
  return found === null ? null : judgeTypesense(found.facts, found.live.generation)
}

export function judgeTypesense(
  { problem, version, documents, alias }: TypesenseFacts,
  generation: number,
): Finding {
  if (problem !== null)
    return failed(
      `${problem}. Postgres answers searches meanwhile`,
      'Bring Typesense back, or check TYPESENSE_URL and TYPESENSE_API_KEY',
    )
  const collection = collectionName(generation)
  if (documents === null)
    return failed(
      `The collection of the live generation, ${collection}, is not there`,
      'The projector makes it and writes it from the journal: start projector-typesense',
    )
  if (alias !== collection)
    return warning(
      `The alias ${DEFAULT_BASE_NAME} points to ${alias ?? 'nothing'} and not to ${collection}. Searches do not go by it`,
      'The projector sets it within seconds: start projector-typesense',
    )
  const name = version === null ? 'Typesense' : `Typesense ${version}`
  return ok(`${name} answers; ${collection} is live, with ${documents} documents`)
}

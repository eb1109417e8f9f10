import type { EngineReport } from '@daybook/projection/engine/engine'
import type { Generation } from '@daybook/projection/generations/generations'
import { createTypesenseClient, type TypesenseSettings } from '../client/client.ts'
import { collectionName, DEFAULT_BASE_NAME } from '../write/collection.ts'
import { inspectTypesense, type TypesenseFacts } from './inspect.ts'

/** Milliseconds that each answer may take. */
const ANSWER_MS = 2_000

/** Inspects the server and the live generation's collection, for operators. */
export async function reportTypesense(
  settings: TypesenseSettings,
  live: Pick<Generation, 'generation'>,
): Promise<EngineReport> {
  const client = createTypesenseClient({ ...settings, timeoutMs: ANSWER_MS })
  try {
    return judgeTypesense(await inspectTypesense(client, live), live)
  } finally {
    client.close()
  }
}

/** Turns the facts into a report with advice. */
export function judgeTypesense(
  { problem, version, documents, alias }: TypesenseFacts,
  { generation }: Pick<Generation, 'generation'>,
): EngineReport {
  const facts = { problem, version }
  if (problem !== null)
    return {
      ...facts,
      status: 'FAILED',
      message: `${problem}. Postgres answers searches meanwhile`,
      advice: 'Bring Typesense back, or check TYPESENSE_URL and TYPESENSE_API_KEY',
    }
  const collection = collectionName(generation)
  if (documents === null)
    return {
      ...facts,
      status: 'FAILED',
      message: `The collection of the live generation, ${collection}, is not there`,
      advice: 'The projector creates it and fills it from the journal: start projector-typesense',
    }
  if (alias !== collection)
    return {
      ...facts,
      status: 'WARNING',
      message: `The alias ${DEFAULT_BASE_NAME} points to ${alias ?? 'nothing'} and not to ${collection}. Searches do not use it`,
      advice: 'The projector sets it within seconds: start projector-typesense',
    }
  const name = version === null ? 'Typesense' : `Typesense ${version}`
  return {
    ...facts,
    status: 'OK',
    message: `${name} answers; ${collection} is live, with ${documents} documents`,
    advice: null,
  }
}

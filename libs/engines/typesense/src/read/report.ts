import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { EngineReport } from '@daybook/projection/engine/engine'
import type { Generation } from '@daybook/projection/generations/generations'
import { type ProjectionStatus, readProjectStatus } from '@daybook/projection/status/project-status'
import { reasonOf } from '@daybook/runtime/reason-of'
import { createTypesenseClient, type TypesenseClient, type TypesenseSettings } from '../client/client.ts'
import { orNull, TypesenseUnavailableError } from '../client/errors.ts'
import { collectionName, DEFAULT_BASE_NAME } from '../write/collection.ts'
import { TYPESENSE } from '../write/generation.ts'

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

/**
 * How far the Typesense projection has come with a project's journal.
 *
 * @param reachable whether Typesense answers, as far as the caller knows. Default true
 */
export async function typesenseStatus(
  scope: ProjectScope,
  { generation }: Pick<Generation, 'generation'>,
  reachable = true,
): Promise<ProjectionStatus> {
  // Read before the waiting memories, which are recorded together with the position. Read after them, the
  // position could be that of a batch whose waiting memories were missed.
  const status = await readProjectStatus(scope, { projection: TYPESENSE, generation }, reachable)
  const { pending } = await scope.db
    .selectFrom('typesense_pending_vectors')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('generation', '=', generation)
    .where('project_id', '=', scope.projectId)
    .executeTakeFirstOrThrow()
  return { ...status, pendingEmbeddings: pending }
}

/** What `inspectTypesense` found. */
interface TypesenseFacts {
  /** Why the server cannot be used, in words; null if it can. */
  readonly problem: string | null
  /** The server's version; null if the server is unavailable or the key may not read it. */
  readonly version: string | null
  /**
   * The number of documents in the live generation's collection; null if the collection is missing or cannot
   * be read.
   */
  readonly documents: number | null
  /** The collection that the alias points to; null if the alias is missing or cannot be read. */
  readonly alias: string | null
}

/** Inspects the server, the live generation's collection and the alias. Changes nothing. */
export async function inspectTypesense(
  client: TypesenseClient,
  { generation }: Pick<Generation, 'generation'>,
  base = DEFAULT_BASE_NAME,
): Promise<TypesenseFacts> {
  const nothing = { version: null, documents: null, alias: null }
  try {
    // Needs no key. It is false while the server replays its log after a restart.
    const { ok } = await client.request((typesense) => typesense.health.retrieve())
    if (!ok) return { ...nothing, problem: 'it answers, but says that it is not healthy' }
    const version = await readVersion(client)
    try {
      const collection = await orNull(
        client.request((typesense) => typesense.collections(collectionName(generation, base)).retrieve()),
      )
      const alias = await orNull(client.request((typesense) => typesense.aliases(base).retrieve()))
      const documents = collection?.num_documents ?? null
      return { problem: null, version, documents, alias: alias?.collection_name ?? null }
    } catch (error) {
      return { ...nothing, version, problem: reasonOf(error) }
    }
  } catch (error) {
    return { ...nothing, problem: reasonOf(error) }
  }
}

async function readVersion(client: TypesenseClient): Promise<string | null> {
  try {
    return (await client.request((typesense) => typesense.debug.retrieve())).version
  } catch (error) {
    // A key that covers only Daybook's collections is enough for everything else.
    if (error instanceof TypesenseUnavailableError) return null
    throw error
  }
}

import { createHash } from 'node:crypto'
import { canonicalJson } from '@daybook/memory/canonical-json'
import { DaybookError } from '@daybook/memory/errors'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { versionKey } from '../append/batch-context.ts'
import { type ChainedEvent, createChainCheck, isErased } from '../chain/check-chain.ts'
import { readChain, readChainEnd } from '../chain/read-chain.ts'
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportEnd,
  type ExportedEvent,
  type ExportedKey,
  type ExportedProject,
  type ExportHeader,
} from './export-format.ts'

/** A project that is to be exported. */
interface ProjectToExport {
  readonly scope: ProjectScope
  readonly name: string
}

/** The options of `exportJournal`. */
interface ExportOptions {
  /** Ends the export between two pages. */
  readonly signal?: AbortSignal
  /** Events read at a time, one short statement each. @default 200 */
  readonly pageEvents?: number
}

/**
 * The journals of the projects, line by line (`export-format.ts`), each up to its end when its turn comes.
 * One page of events is in memory; the next is read once the consumer has taken this one. The hash chain is
 * checked on the way, because an export that cannot be imported is no backup.
 *
 * @throws DaybookError CORRUPT_JOURNAL; the signal's reason; errors of the database
 */
export async function* exportJournal(
  projects: readonly ProjectToExport[],
  options: ExportOptions = {},
): AsyncGenerator<string> {
  const sha256 = createHash('sha256')
  const line = (value: Line): string => {
    const text = `${canonicalJson(value)}\n`
    sha256.update(text)
    return text
  }
  yield line({ format: EXPORT_FORMAT, version: EXPORT_VERSION })
  let events = 0
  for (const { scope, name } of projects) {
    const end = await readChainEnd(scope)
    const { sequence, hash } = end
    yield line({ project: { id: scope.projectId, name, events: sequence, hash } })
    for await (const event of soundEvents(scope, sequence, hash, options)) yield line({ event })
    events += sequence
  }
  yield `${canonicalJson({ end: { events, projects: projects.length, sha256: sha256.digest('hex') } } satisfies Line)}\n`
}

type Line =
  | ExportHeader
  | { readonly project: ExportedProject }
  | { readonly event: ExportedEvent }
  | { readonly end: ExportEnd }

/** A project's events up to its end, with their hashes checked. */
async function* soundEvents(
  scope: ProjectScope,
  upTo: number,
  endHash: string,
  { signal, pageEvents = 200 }: ExportOptions,
): AsyncGenerator<ExportedEvent> {
  const chain = createChainCheck({ sequence: 0, hash: CHAIN_START })
  for (;;) {
    signal?.throwIfAborted()
    const after = chain.place().sequence
    const events = await readChain(scope, { after, upTo, limit: pageEvents })
    if (events.length === 0) break
    const keys = await readKeys(scope, events)
    for (const event of events) {
      const [problem] = chain.next(event)
      if (problem !== undefined) throw corrupt(scope, problem.message)
      yield toExported(event, keys.get(versionKey(event.memoryId, event.version)) ?? [])
    }
  }
  const { sequence, hash } = chain.place()
  if (sequence !== upTo) throw corrupt(scope, `the events after ${sequence} are missing`)
  if (hash !== endHash) throw corrupt(scope, `its end is not the event ${sequence}`)
}

function corrupt({ projectId }: ProjectScope, problem: string): DaybookError {
  return new DaybookError(
    'CORRUPT_JOURNAL',
    `The journal of the project ${projectId} was changed. It is not exported, because it could not be imported: ${problem}. Verify the journal to see everything that is wrong, and restore it from a backup.`,
  )
}

/** An event as a line of an export has it. */
export function toExported(event: ChainedEvent, idempotencyKeys: readonly ExportedKey[]): ExportedEvent {
  const { sequence, eventId, memoryId, version, type, schemaVersion, recordedAt, data } = event
  const { actor, correlationId, causationId, dataSalt, dataHash, hash, epoch = 1 } = event
  return {
    sequence,
    eventId,
    memoryId,
    version,
    type,
    schemaVersion,
    recordedAt,
    actor,
    correlationId,
    causationId,
    data,
    dataSalt,
    dataHash,
    hash,
    ...(epoch > 1 && { epoch }),
    idempotencyKeys: isErased(event)
      ? idempotencyKeys.map(({ key }) => ({ key, requestHash: null }))
      : idempotencyKeys,
  }
}

interface KeyRow {
  readonly memoryId: string
  readonly version: number
  readonly key: string
  readonly requestHash: Buffer | null
}

/** The idempotency keys of the requests that led to these events, by `versionKey`. */
export async function readKeys(
  { db, projectId }: ProjectScope,
  events: readonly ChainedEvent[],
): Promise<Map<string, ExportedKey[]>> {
  // One index lookup per event, whatever the statistics say. Without statistics, as in an embedded database,
  // the planner would read all keys of the project for every page.
  const { rows } = await sql<KeyRow>`
    select given.memory_id as "memoryId", given.version, uses.idempotency_key as key, uses.request_hash as "requestHash"
    from unnest(${events.map(({ memoryId }) => memoryId)}::uuid[], ${events.map(({ version }) => version)}::int[])
      as given(memory_id, version)
    cross join lateral (
      select idempotency_key, request_hash from idempotency_keys
      where memory_id = given.memory_id and version = given.version and project_id = ${projectId}
      offset 0
    ) uses`.execute(db)
  const keys = new Map<string, ExportedKey[]>()
  for (const row of rows) {
    const place = versionKey(row.memoryId, row.version)
    const key = { key: row.key, requestHash: row.requestHash?.toString('hex') ?? null }
    keys.set(place, [...(keys.get(place) ?? []), key])
  }
  // Sorted here: the database's order of texts depends on its locale.
  for (const some of keys.values()) some.sort((a, b) => (a.key < b.key ? -1 : 1))
  return keys
}

import type { ProjectScope } from '@daybook/postgres/project-scope'
import { unparkMemories } from '@daybook/projection/apply/parked-events'
import { PositionMoved } from '@daybook/projection/projection'
import type { ComparedPage, RewriteOptions, Verifiable } from '@daybook/projection/verify/verifiable'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import { writeAsOf } from '../write/rewrites.ts'
import { withProjectLease } from '../write/with-project-lease.ts'
import type { GenerationWriter } from '../write/writer.ts'
import { compareMemories, exportDocuments, ofProject } from './compare-memories.ts'

/** Milliseconds until a project that another process has is tried again. */
const OTHERS_TURN_MS = 20

/** Repeats the work until the project is free; projectors hold it for one batch at a time. */
async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PositionMoved)) throw error
      await pause(OTHERS_TURN_MS)
    }
}

/** Compares a generation's documents with the journal and rewrites them. */
export function typesenseVerifiable(writer: GenerationWriter): Verifiable {
  return {
    ...writer.place,
    projects: () => projectsIn(writer),
    compare: (scope, memoryIds): Promise<ComparedPage> =>
      whenFree(() => compareMemories(writer, scope, memoryIds)),
    // Typesense maintains its indexes by itself; there is nothing to compare.
    compareIndexes: () => Promise.resolve({ problems: [], memoryIds: [] }),
    repairIndexes: () => Promise.resolve(),
    surplus: (scope, held) => surplus(writer, scope, held),
    rewrite: (scope, memoryIds, options) => whenFree(() => rewrite(writer, scope, memoryIds, options)),
  }
}

/** The most projects that are listed. */
const PROJECTS_MAX = 10_000

/** The projects that have documents. */
async function projectsIn({ client, collection }: GenerationWriter): Promise<string[]> {
  const { facet_counts } = await client.request(({ apiCall }) =>
    apiCall.get<{ facet_counts: { counts: { value: string }[] }[] }>(
      `/collections/${collection}/documents/search`,
      { q: '*', facet_by: 'project_id', max_facet_values: PROJECTS_MAX, per_page: 0 },
    ),
  )
  return (facet_counts[0]?.counts ?? []).map(({ value }) => value).filter((id) => UUID.test(id))
}

/** Memories with documents but without events. Counts first, as there are seldom any. */
async function surplus(
  { client, collection }: GenerationWriter,
  scope: ProjectScope,
  held: number,
): Promise<string[]> {
  const { found } = await client.request(({ apiCall }) =>
    apiCall.get<{ found: number }>(`/collections/${collection}/documents/search`, {
      q: '*',
      filter_by: `${ofProject(scope.projectId)} && chunk:=0`,
      per_page: 0,
    }),
  )
  if (found === held) return []
  const documents = await exportDocuments(client, collection, ofProject(scope.projectId), ['memory_id'])
  const ids = [...new Set(documents.map(({ memory_id }) => String(memory_id)))].filter((id) => UUID.test(id))
  const known = await sql<{ memory_id: string }>`
    select memory_id from unnest(${ids}::uuid[]) as memory_id
    where not exists (
      select from events e where e.project_id = ${scope.projectId} and e.memory_id = memory_id.memory_id and e.version = 1)`.execute(
    scope.db,
  )
  return known.rows.map((row) => row.memory_id)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

async function rewrite(
  writer: GenerationWriter,
  scope: ProjectScope,
  memoryIds: readonly string[],
  options: RewriteOptions = {},
): Promise<void> {
  await withProjectLease(writer, scope, null, async (held) => {
    const record = await writeAsOf(writer, held, memoryIds, {
      ...options,
      sequence: held.position.sequence,
    })
    await held.commit(async (trx) => {
      await record(trx)
      if (options.unpark === true) await unparkMemories(trx, writer.place, scope.projectId, memoryIds)
    })
  })
}

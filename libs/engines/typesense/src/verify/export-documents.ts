import type { JsonDocument, TypesenseClient } from '../client/client.ts'

/** A filter for a project's documents. Ids come from uuid columns, so they cannot leave the quotes. */
export const ofProject = (projectId: string): string => `project_id:=\`${projectId}\``

/** The same for some of the project's memories, at most `IDS_PER_FILTER`. */
export const ofMemories = (projectId: string, memoryIds: readonly string[]): string =>
  `${ofProject(projectId)} && memory_id:=[${memoryIds.map((id) => `\`${id}\``).join(',')}]`

/**
 * The most ids in one filter: 60 quoted and encoded UUIDs fit into the 4,000 characters of a query string.
 */
export const IDS_PER_FILTER = 60

/**
 * All documents that match a filter, including those of further chunks. @param fields to return; default all
 */
export async function exportDocuments(
  client: TypesenseClient,
  collection: string,
  filter: string,
  fields: readonly string[] = [],
): Promise<JsonDocument[]> {
  const answer = await client.request(({ apiCall }) =>
    apiCall.get<unknown>(
      `/collections/${collection}/documents/export`,
      { filter_by: filter, ...(fields.length > 0 && { include_fields: fields.join(',') }) },
      { responseType: 'text' },
    ),
  )
  const lines = typeof answer === 'string' ? answer.split('\n') : [JSON.stringify(answer)]
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JsonDocument)
}

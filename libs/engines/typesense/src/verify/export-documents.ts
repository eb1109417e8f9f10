import type { JsonDocument, TypesenseClient } from '../client/client.ts'

/** A filter for a project's documents. Ids are UUIDs out of uuid columns: nothing in them can leave the quotes (trap 13). */
export const ofProject = (projectId: string): string => `project_id:=\`${projectId}\``

/** The same for some of its memories, at most 60: a query string may have 4,000 characters. */
export const ofMemories = (projectId: string, memoryIds: readonly string[]): string =>
  `${ofProject(projectId)} && memory_id:=[${memoryIds.map((id) => `\`${id}\``).join(',')}]`

/** Ids in one filter: 60 of 36 characters and their quotes, encoded, stay below the 4,000 that a query string may have. */
export const IDS_PER_FILTER = 60

/** All documents that satisfy a filter, further chunks among them. @param fields to be given; default all */
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

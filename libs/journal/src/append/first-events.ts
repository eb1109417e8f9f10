import type { ProjectScope } from '@daybook/postgres/project-scope'

/** Where a memory began. */
export interface FirstEvent {
  readonly sequence: number
  readonly memory_id: string
}

/**
 * The first events of memories, which say which memories there are: those after a sequence (exclusive) up to another one
 * (inclusive), in the order of the journal, at most `limit`. The last one's sequence is where the next page begins.
 */
export function readFirstEvents(
  { db, projectId }: ProjectScope,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<FirstEvent[]> {
  return db
    .selectFrom('events')
    .select(['sequence', 'memory_id'])
    .where('project_id', '=', projectId)
    .where('version', '=', 1)
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

import type { ProjectScope } from '@daybook/postgres/project-scope'

/** The first event of a memory. */
export interface FirstEvent {
  readonly sequence: number
  readonly memory_id: string
}

/**
 * The first events of memories after a sequence (exclusive) and up to another (inclusive), in journal order,
 * at most `limit`. They list the memories that exist. The next page begins after the last one's sequence.
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

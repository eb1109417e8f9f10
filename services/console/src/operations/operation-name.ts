import type { Operation, ProjectionName } from '../api/operations.ts'

const PROJECTIONS: Readonly<Record<string, string>> = { PGVECTOR: 'pgvector', TYPESENSE: 'Typesense' }

/** A projection's name for people. */
export const projectionTitle = (name: ProjectionName | string): string =>
  PROJECTIONS[name.toUpperCase()] ?? name.toLowerCase()

const WORK: Readonly<Record<string, string>> = {
  REINDEX: 'Rebuild',
  VERIFY: 'Verification',
  VERIFY_JOURNAL: 'Verification of the journal',
  REPLAY: 'Replay',
  BACKFILL: 'Making of vectors',
  RETRY_PARKED: 'Retry of parked events',
  UNDO: 'Undo',
  DELETE_PROJECT: 'Removal of a deleted project',
}

/** An operation's name for people: `Rebuild of pgvector`. */
export function operationName({ type, projection }: Pick<Operation, 'type' | 'projection'>): string {
  const work = WORK[type] ?? sentenceOf(type)
  return projection === null ? work : `${work} of ${projectionTitle(projection)}`
}

/** Of a type that is newer than this list. */
const sentenceOf = (type: string): string => type.charAt(0) + type.slice(1).toLowerCase().replaceAll('_', ' ')

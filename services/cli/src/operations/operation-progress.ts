import type { Operation } from '../client/operations.ts'
import { safeLine } from '../output/safe-text.ts'
import { spoken } from '../output/spoken.ts'
import type { Progress } from '../progress/render-progress.ts'

/** What people call it: `reindex of pgvector`. */
export function operationName({ type, projection }: Pick<Operation, 'type' | 'projection'>): string {
  return projection === null ? spoken(type) : `${spoken(type)} of ${spoken(projection)}`
}

type Progressing = Pick<Operation, 'type' | 'projection' | 'status' | 'phase' | 'done' | 'total' | 'error'>

/** How far an operation has come. The error of one that is running is what it waits for. */
export function operationProgress(operation: Progressing): Progress {
  const { status, phase, done, total, error } = operation
  return {
    work: operationName(operation),
    phase: safeLine(phase),
    done,
    total,
    waiting: status === 'RUNNING' && error !== null ? safeLine(error) : null,
  }
}

import { safeLine } from '@daybook/memory/safe-text'
import type { Operation } from '../client/operations.ts'
import { spoken } from '../output/spoken.ts'
import type { Progress } from '../progress/render-progress.ts'

/** The operation's name for people: `reindex of pgvector`. */
export function operationName({ type, projection }: Pick<Operation, 'type' | 'projection'>): string {
  return projection === null ? spoken(type) : `${spoken(type)} of ${spoken(projection)}`
}

type Progressing = Pick<Operation, 'type' | 'projection' | 'status' | 'phase' | 'done' | 'total' | 'error'>

/** How far an operation has come. While it runs, its `error` says what it waits for. */
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

import { ValidationError } from '@daybook/memory/errors'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'

/** The projections that this process can work on, by name. */
export type Projections = ReadonlyMap<string, RebuildableProjection>

/** Finds a projection by name. @throws ValidationError if this process has no such projection */
export function projectionOf(projections: Projections, name: string | null): RebuildableProjection {
  const found = projections.get(name ?? '')
  if (found === undefined)
    throw new ValidationError('projection', `must be one of ${[...projections.keys()].join(', ')}`)
  return found
}

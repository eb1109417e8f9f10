import { hasVectors } from '@daybook/memory-map/store/read-map'
import type { Context } from './context.ts'

/** Why no map of the project's memories can be made, and what to do; null if one can. */
export async function mapProblem(context: Context): Promise<string | null> {
  if (await hasVectors(context.project, await context.readModel())) return null
  return context.parts.config.embedder === 'none'
    ? 'There is no map, because no memory has a vector: this Daybook has no embedding model (DAYBOOK_EMBEDDER=none). Start it with one, such as minilm'
    : 'There is nothing on the map yet, because no memory has its vector: remember something, or see "daybook doctor" if they stay without'
}

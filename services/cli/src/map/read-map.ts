import { type AnsweredMap, MEMORY_MAP } from '@daybook/client/documents/memory-map'
import { NO_CONTEXT, toMapPoints } from '@daybook/client/map-points'
import { request } from '../client/request.ts'
import type { Connection } from '../settings.ts'

/** Reads the map. @throws RefusedError, UnreachableError, UnauthorisedError */
export const readMap = async (connection: Connection): Promise<AnsweredMap> =>
  (await request(connection, MEMORY_MAP, {})).memoryMap

/** A map as JSON for programs: a row for each memory. */
export function mapAsJson({ made, ...map }: AnsweredMap) {
  if (made === null) return { ...map, made }
  const { count, ids, x, y, kinds, kind, contexts, context, created } = toMapPoints(made.points)
  const points = Array.from({ length: count }, (_, at) => ({
    id: ids[at],
    x: x[at],
    y: y[at],
    kind: kinds[kind[at] as number],
    context: context[at] === NO_CONTEXT ? null : contexts[context[at] as number],
    createdAt: new Date((created[at] as number) * 1_000).toISOString(),
  }))
  return { ...map, made: { ...made, points } }
}

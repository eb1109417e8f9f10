import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { type AnsweredMap, MEMORY_MAP } from '@daybook/client/documents/memory-map'
import { type MapPoints, toMapPoints } from '@daybook/client/map-points'
import { change, read } from './client.ts'

/** A map with its points unpacked. */
export interface MadeMap extends Omit<NonNullable<AnsweredMap['made']>, 'points'> {
  readonly points: MapPoints
}

/** What there is of a project's map. */
export interface MemoryMap extends Omit<AnsweredMap, 'made'> {
  readonly made: MadeMap | null
}

/** Reads the map. @throws DaybookClientError; the signal's reason */
export async function readMemoryMap(signal?: AbortSignal): Promise<MemoryMap> {
  const { made, ...map } = (await read(MEMORY_MAP, {}, { signal })).memoryMap
  return { ...map, made: made === null ? null : { ...made, points: toMapPoints(made.points) } }
}

const PROGRESS = queries.operation('id status phase done total error')

/** How far the making of a map is; null if there is no such operation. @throws DaybookClientError; the signal's reason */
export const readProgress = async (id: string, signal?: AbortSignal): Promise<MemoryMap['operation']> =>
  (await read(PROGRESS, { id }, { signal })).operation

const MAKE = mutations.mapMemories('id status phase done total error')

/** Asks for a map. @throws DaybookClientError REFUSED, BUSY */
export async function makeMap(): Promise<NonNullable<MemoryMap['operation']>> {
  const { __typename: _, ...operation } = await change(MAKE, () => ({}))
  return operation
}

const CANCEL = mutations.cancelOperation('__typename')

/** Ends the making of a map; the one before stays. @throws DaybookClientError */
export const cancelMap = async (id: string): Promise<void> => {
  await change(CANCEL, () => ({ id }))
}

const ENTRIES = queries.nodes('... on Memory { id kind title agent context createdAt shared }')

/** A memory as the map names it. */
export interface MapEntry {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly agent: string | null
  readonly context: string | null
  readonly createdAt: string
  readonly shared: boolean
}

/** Reads what these memories are called, at most 100; those that are gone are left out. @throws DaybookClientError */
export async function readEntries(ids: readonly string[], signal?: AbortSignal): Promise<MapEntry[]> {
  const { nodes } = await read(ENTRIES, { ids: [...ids] }, { signal })
  return nodes.flatMap((one) => (one !== null && 'title' in one ? [one] : []))
}

import { ValidationError } from '@daybook/memory/errors'
import {
  countForMap,
  hasVectors,
  type KeptMap,
  type MapPoint,
  readMap,
} from '@daybook/memory-map/store/read-map'
import type { Operation } from '@daybook/operations/operation'
import { operationOf } from '@daybook/operations/read'
import type { Generation } from '@daybook/projection/generations/generations'
import type { Context } from '../../context.ts'
import { OperationRefusedError } from '../admin/operation-refused.ts'
import { operation } from '../admin/operations.ts'
import { requestFor } from '../admin/request-operations.ts'
import { builder } from '../builder.ts'
import { SEARCH_COST } from '../limits.ts'
import { memoryKind } from './memory.ts'
import { packDoubles, packFloats, packUuids, packWords } from './packed-context.ts'

/** What there is of a project's map. */
interface MapOfMemories {
  readonly memories: number
  readonly newer: number
  readonly problem: string | null
  readonly operation: Operation | null
  readonly made: MadeMap | null
}

/** A map, and the generation whose vectors it shows. */
interface MadeMap extends KeptMap {
  readonly generation: Generation
}

const mapPoints = builder.objectRef<readonly MapPoint[]>('MapPoints').implement({
  description:
    'The memories of a map in columns, the oldest first. A column is base64 of its numbers’ bytes, the lowest byte first.',
  fields: (t) => ({
    ids: t.string({
      description: 'The ids without their kinds: UUIDs of 16 bytes.',
      resolve: (points) => packUuids(points.map(({ id }) => id)),
    }),
    x: t.string({
      description: 'From -1 to 1, in 32-bit floats.',
      resolve: (points) => packFloats(points.map(({ x }) => x)),
    }),
    y: t.string({ description: 'As `x`.', resolve: (points) => packFloats(points.map(({ y }) => y)) }),
    kinds: t.field({
      type: [memoryKind],
      description: 'The kinds that are on the map.',
      resolve: (points) => packWords(points.map(({ kind }) => kind)).words,
    }),
    kind: t.string({
      description: 'Each memory’s place in `kinds`, from 0, in 16 bits.',
      resolve: (points) => packWords(points.map(({ kind }) => kind)).packed,
    }),
    contexts: t.stringList({
      description: 'The contexts that are on the map.',
      resolve: (points) => packWords(points.map(({ context }) => context)).words,
    }),
    context: t.string({
      description: 'Each memory’s place in `contexts`, from 0, in 16 bits; 65,535 without a context.',
      resolve: (points) => packWords(points.map(({ context }) => context)).packed,
    }),
    created: t.string({
      description: 'When each was remembered: seconds since 1970, in 64-bit floats.',
      resolve: (points) => packDoubles(points.map(({ created }) => created)),
    }),
  }),
})

const madeMap = builder.objectRef<MadeMap>('MadeMap').implement({
  description:
    'A map as it was made, with the memories that can be found now: what has been forgotten, erased or withheld since is not on it.',
  fields: (t) => ({
    madeAt: t.field({ type: 'DateTime', resolve: ({ madeAt }) => madeAt }),
    sequence: t.exposeInt('sequence', {
      description: 'The place in the journal that it stands for: later memories are not on it.',
    }),
    generation: t.int({
      description: 'The generation of pgvector whose vectors it shows.',
      resolve: ({ generation }) => generation.generation,
    }),
    model: t.string({
      description: 'The embedding model of those vectors.',
      resolve: ({ generation }) => generation.modelId,
    }),
    count: t.int({ description: 'How many memories are on it.', resolve: ({ points }) => points.length }),
    points: t.field({ type: mapPoints, resolve: ({ points }) => points }),
  }),
})

/** The type `MemoryMap`. */
const memoryMap = builder.objectRef<MapOfMemories>('MemoryMap').implement({
  description: 'The map of a project’s memories: near ones mean something similar.',
  fields: (t) => ({
    memories: t.exposeInt('memories', { description: 'How many memories can be found now.' }),
    newer: t.exposeInt('newer', {
      description: 'How many of them were remembered since the map was made; all, if there is none.',
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why no map can be made, and what to do; null if one can.',
    }),
    operation: t.field({
      type: operation,
      nullable: true,
      description: 'What is making a map now.',
      resolve: (one) => one.operation,
    }),
    made: t.field({
      type: madeMap,
      nullable: true,
      description: 'Null before the first `mapMemories`, and after a rebuild of pgvector.',
      resolve: (one) => one.made,
    }),
  }),
})

/** It reads as many memories as `facets`. */
const MAP_COST = 1_500

builder.queryField('memoryMap', (t) =>
  t.field({
    type: memoryMap,
    complexity: { field: MAP_COST },
    description:
      'The memories as points by meaning, as `mapMemories` last placed them. At most 20,000, the newest; of the others only their number is told.',
    resolve: async (_, __, context) => {
      const { project } = context
      const model = await context.readModel()
      const made = await readMap(project, model)
      const { memories, newer } = await countForMap(project, model, made?.sequence ?? 0)
      return {
        memories,
        newer,
        made: made === null ? null : { ...made, generation: model.generation },
        problem: made === null ? await mapProblem(context) : null,
        operation: await operationOf(project.db, 'map-memories', project.projectId),
      }
    },
  }),
)

const mapMemoriesResult = builder.errorUnion('MapMemoriesResult', {
  types: [operation, ValidationError, OperationRefusedError],
  resolveType: () => 'Operation',
})

builder.mutationField('mapMemories', (t) =>
  t.field({
    type: mapMemoriesResult,
    complexity: { field: SEARCH_COST },
    description:
      'Makes the map of the project’s memories that `memoryMap` shows, in place of the last one, as an operation: 20,000 memories take about a minute. The same memories come to the same places.',
    resolve: async (_, __, context) => {
      const { db, projectId } = context.project
      const problem = await mapProblem(context)
      if (problem !== null) throw new OperationRefusedError('REFUSED', problem)
      return requestFor(db, context, {
        type: 'map-memories',
        projection: null,
        projectId,
        options: { projectId },
      })
    },
  }),
)

/** Why no map of the project's memories can be made, and what to do; null if one can. */
async function mapProblem(context: Context): Promise<string | null> {
  if (await hasVectors(context.project, await context.readModel())) return null
  return context.parts.config.embedder === 'none'
    ? 'There is no map, because no memory has a vector: this Daybook has no embedding model (DAYBOOK_EMBEDDER=none). Start it with one, such as minilm'
    : 'There is nothing on the map yet, because no memory has its vector: remember something, or see "daybook doctor" if they stay without'
}

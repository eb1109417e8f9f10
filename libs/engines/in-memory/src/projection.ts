import { requeueTexts } from '@daybook/embeddings/store'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { appliedStates, memoryAfter, newestOfEach } from '@daybook/projection/apply/applied-memories'
import { parkEvents } from '@daybook/projection/apply/parked-events'
import { applyToGeneration } from '@daybook/projection/engine/apply-to-generation'
import type { WriteOptions } from '@daybook/projection/engine/engine'
import { forgetGeneration, type Generation, holdDropping } from '@daybook/projection/generations/generations'
import { createGeneration, type GenerationLayout } from '@daybook/projection/generations/swap-generations'
import { rewindPosition } from '@daybook/projection/positions/divergence'
import {
  ensurePosition,
  forgetPosition,
  holdPosition,
  lockPosition,
  readPlace,
  savePosition,
  setPosition,
} from '@daybook/projection/positions/positions'
import { PositionMoved, type Projection } from '@daybook/projection/projection'
import type { LoadTarget } from '@daybook/projection/rebuild/load-project'
import type {
  LoadTargetOptions,
  RebuildableProjection,
} from '@daybook/projection/rebuild/rebuildable-projection'
import { fill, type HeldGeneration, hold, pendingOf, toHeld } from './held-generation.ts'
import { inMemoryVerifiable } from './verifiable.ts'

/**
 * The in-memory projection for projectors, rebuilds and verifications.
 * @param all the generations that this process holds, by number
 */
export function inMemoryProjection(
  options: WriteOptions,
  layout: GenerationLayout,
  all: Map<number, HeldGeneration>,
  heldOf: (generation: Generation) => HeldGeneration,
): RebuildableProjection {
  const { db } = options
  const { projection: name, layoutVersion } = layout
  const fillAll = async (generation: Generation) => {
    const held = heldOf(generation)
    for (const projectId of held.projects.keys()) await fill(held, projectScope(db, projectId))
  }
  return {
    name,
    parallel: 1,
    layoutVersion,
    writesLate: false,
    problemOf: async (generation) =>
      all.has(generation) ? null : 'it was kept in the memory of a process that has ended',
    create: (model, builder) => createGeneration(db, layout, model, builder),
    prepare: () => Promise.resolve(),
    loadTarget: (generation, load) => inMemoryLoadTarget(heldOf(generation), load),
    fillVectors: fillAll,
    async pendingVectors(generation) {
      const held = heldOf(generation)
      return [...held.projects.keys()].reduce((sum, projectId) => sum + pendingOf(held, projectId), 0)
    },
    buildIndexes: (_, fence) => fence.check(db),
    apply: (generation) =>
      applyToGeneration(options, generation, {
        projection: inMemoryWriter(heldOf(generation)),
        verifiable: inMemoryVerifiable(heldOf(generation)),
        vectorsStored: () => fillAll(generation),
      }),
    check: (generation) => inMemoryVerifiable(heldOf(generation)),
    async removeProject(generation, scope) {
      await forgetPosition(scope, { name, generation: generation.generation })
      const { projects } = heldOf(generation)
      const removed = projects.get(scope.projectId)?.size ?? 0
      projects.delete(scope.projectId)
      return removed
    },
    drop: (generation) => drop(db, name, generation, all),
  }
}

async function drop(
  db: Database,
  projection: string,
  generation: number,
  all: Map<number, HeldGeneration>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await holdDropping(trx, { projection, generation }))) return
    await forgetGeneration(trx, { projection, generation })
    all.delete(generation)
  })
}

/** A generation as the projector writes it. Content and position change at the end of one transaction. */
export function inMemoryWriter(held: HeldGeneration): Projection {
  const ref = { name: held.generation.projection, generation: held.generation.generation }
  return {
    ...ref,
    position: ({ db, projectId }) => readPlace(db, ref, projectId),
    async apply(scope, batch) {
      const { db, projectId } = scope
      if (batch.from.sequence === 0) await ensurePosition(db, ref, projectId)
      const memories = await toHeld(held, scope, newestOfEach(batch.events).map(memoryAfter))
      await db.transaction().execute(async (trx) => {
        await lockPosition(trx, ref, projectId, batch)
        await savePosition(trx, ref, projectId, batch)
        await hold(trx, held, projectId, memories, batch.erased)
      })
    },
    async rewind(scope, { from, to }) {
      const { db, projectId } = scope
      const later = [...(held.projects.get(projectId)?.values() ?? [])].filter(
        ({ memory }) => memory.sequence > to.sequence,
      )
      const memoryIds = later.map(({ memory }) => memory.state.id)
      const states = await appliedStates(scope, ref, { memoryIds, position: to.sequence })
      const memories = await toHeld(held, scope, states)
      await db.transaction().execute(async (trx) => {
        const position = await holdPosition(trx, ref, projectId)
        if (position.sequence !== from.sequence || position.hash !== from.hash)
          throw new PositionMoved(ref.name, from.sequence)
        await rewindPosition(trx, ref, projectId, to)
        await hold(trx, held, projectId, memories, memoryIds)
      })
    },
  }
}

function inMemoryLoadTarget(
  held: HeldGeneration,
  { regenerateBefore, fence }: LoadTargetOptions,
): LoadTarget {
  const { projection: name, generation, modelId } = held.generation
  const ref = { name, generation }
  return {
    async load(scope, { memories, parked }) {
      const { db, projectId } = scope
      const states = memories.map(({ newest }) => memoryAfter(newest))
      if (regenerateBefore !== null) {
        const texts = (await toHeld(held, scope, states)).map(({ text }) => text)
        await db
          .transaction()
          .execute((trx) => requeueTexts(trx, { projectId, modelId }, texts, regenerateBefore))
      }
      const loaded = await toHeld(held, scope, states)
      await db.transaction().execute(async (trx) => {
        await fence.hold(trx)
        await parkEvents(trx, ref, projectId, parked)
        await hold(trx, held, projectId, loaded)
      })
    },
    endPage: () => Promise.resolve(),
    endProject: ({ db, projectId }, { head }) =>
      db.transaction().execute(async (trx) => {
        await fence.hold(trx)
        await setPosition(trx, ref, projectId, head)
      }),
  }
}

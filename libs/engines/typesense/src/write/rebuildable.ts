import { requeueTexts } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import { memoryAfter } from '@daybook/projection/apply/applied-memories'
import { parkEvents } from '@daybook/projection/apply/parked-events'
import { applyToGeneration } from '@daybook/projection/engine/apply-to-generation'
import type { WriteOptions } from '@daybook/projection/engine/engine'
import { type Generation, listGenerations } from '@daybook/projection/generations/generations'
import { createGeneration } from '@daybook/projection/generations/swap-generations'
import { savePosition } from '@daybook/projection/positions/positions'
import type { Fence } from '@daybook/projection/rebuild/fence'
import type { LoadTarget } from '@daybook/projection/rebuild/load-project'
import type {
  LoadTargetOptions,
  RebuildableProjection,
} from '@daybook/projection/rebuild/rebuildable-projection'
import type { TypesenseClient } from '../client/client.ts'
import { typesenseVerifiable } from '../verify/verifiable.ts'
import { deleteCollection, LAYOUT_VERSION } from './collection.ts'
import { forgetTypesenseGeneration, TYPESENSE, TYPESENSE_LAYOUT } from './generation.ts'
import { keepCollection } from './keep-collection.ts'
import { startReconciler } from './reconciler.ts'
import { removeProject, typesenseProjection } from './typesense-projection.ts'
import { withProjectLease } from './with-project-lease.ts'
import { recordWritten, writeMemories } from './write-memories.ts'
import { writeAllVectors } from './write-vectors.ts'
import { createGenerationWriter, type GenerationWriter } from './writer.ts'

/** What the projection needs besides the common options. */
export interface TypesenseWriteOptions extends WriteOptions {
  readonly client: TypesenseClient
  /** The prefix of the collections' names, and the alias. Default `daybook_memories`. */
  readonly base?: string | undefined
  /** In milliseconds; see `GenerationWriterOptions.leaseMs`. */
  readonly leaseMs?: number | undefined
}

/** The Typesense read model for projectors, rebuilds and verifications. */
export function typesenseRebuildableProjection(options: TypesenseWriteOptions): RebuildableProjection {
  const { db, client, logger, base, leaseMs } = options
  const writerOf = (generation: Generation, fence: Fence | null = null): GenerationWriter =>
    createGenerationWriter({ client, fence, generation, logger, base, leaseMs })
  return {
    name: TYPESENSE,
    // A project has one owner at a time.
    parallel: 1,
    layoutVersion: LAYOUT_VERSION,
    // A missing collection is recreated and filled from the beginning by whoever writes it
    // (`keep-collection.ts`).
    problemOf: () => Promise.resolve(null),
    writesLate: true,
    create: (model, builder) => createGeneration(db, TYPESENSE_LAYOUT, model, builder),
    async prepare(generation, _, fence) {
      await fence.check(db)
      await keepCollection(db, writerOf(generation))
    },
    loadTarget: (generation, load) => typesenseLoadTarget(writerOf(generation, load.fence), load),
    fillVectors: (generation, fence) => writeAllVectors(db, writerOf(generation, fence)),
    async pendingVectors({ generation }) {
      const { pending } = await db
        .selectFrom('typesense_pending_vectors')
        .select((eb) => eb.fn.countAll<number>().as('pending'))
        .where('generation', '=', generation)
        .executeTakeFirstOrThrow()
      return pending
    },
    buildIndexes: (_, fence) => fence.check(db),
    apply(generation) {
      const writer = writerOf(generation)
      const reconciler = startReconciler(db, writer, { pollMs: options.pollMs })
      return applyToGeneration(options, generation, {
        projection: typesenseProjection(db, writer),
        verifiable: typesenseVerifiable(writer),
        vectorsStored: async (hashes) => reconciler.stored(hashes),
        stop: reconciler.stop,
      })
    },
    check: (generation) => typesenseVerifiable(writerOf(generation)),
    removeProject: (generation, scope, how) => removeProject(writerOf(generation), scope, how),
    async drop(generation) {
      // The generation's number is never reused, so this deletes the right collection, however late.
      const found = (await listGenerations(db, TYPESENSE)).find((one) => one.generation === generation)
      if (found?.status !== 'dropping') return
      await deleteCollection(client, generation, base)
      await forgetTypesenseGeneration(db, generation)
    },
  }
}

function typesenseLoadTarget(writer: GenerationWriter, { regenerateBefore }: LoadTargetOptions): LoadTarget {
  const { place, generation } = writer
  return {
    async load(scope, { memories, parked }) {
      if (memories.length === 0 && parked.length === 0) return
      const loaded = memories.map(({ newest }) => memoryAfter(newest))
      if (regenerateBefore !== null)
        await scope.db
          .transaction()
          .execute((trx) =>
            requeueTexts(
              trx,
              { projectId: scope.projectId, modelId: generation.modelId },
              textsOf(loaded),
              regenerateBefore,
            ),
          )
      await withProjectLease(writer, scope, null, async (held) => {
        const written = await writeMemories(writer, held, loaded)
        await held.commit(async (trx) => {
          await parkEvents(trx, place, scope.projectId, parked)
          await recordWritten(trx, writer, scope.projectId, written)
        })
      })
    },
    endPage: () => Promise.resolve(),
    endProject: (scope, { head }) =>
      withProjectLease(writer, scope, null, (held) =>
        held.commit((trx) => savePosition(trx, place, scope.projectId, { to: head, parked: [], erased: [] })),
      ),
  }
}

const textsOf = (memories: readonly Memory[]) =>
  memories
    .filter(({ state }) => state.forgottenAt === null)
    .map(({ state }) => {
      const text = embeddedTextOf(state)
      return { hash: contentHash(text), text }
    })

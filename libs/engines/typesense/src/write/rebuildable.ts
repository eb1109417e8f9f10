import { contentHash, requeueTexts } from '@daybook/embeddings/store'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import { type Generation, listGenerations } from '@daybook/projection/generations/generations'
import { parkEvents } from '@daybook/projection/apply/parked-events'
import { savePosition } from '@daybook/projection/positions/positions'
import type { Fence } from '@daybook/projection/rebuild/fence'
import type { LoadTarget } from '@daybook/projection/rebuild/load-target'
import type { LoadTargetOptions, Rebuildable } from '@daybook/projection/rebuild/rebuildable-projection'
import { typesenseCheckable } from '../verify/verifiable.ts'
import { deleteCollection } from './collection.ts'
import { createGeneration, forgetTypesenseGeneration, TYPESENSE } from './generation.ts'
import { keepCollection } from './keep-collection.ts'
import { type PostGenerationOptions, postGeneration } from './apply-to-generation.ts'
import { postMemories, recordPosted } from './write-memories.ts'
import { postAllVectors } from './write-vectors.ts'
import { createPosting, type Posting, type PostingOptions } from './writer.ts'
import { LAYOUT_VERSION } from './schema.ts'
import { underClaim } from './with-project-lease.ts'

/** The Typesense read model as rebuilds see it. */
export function typesenseRebuildable(options: PostGenerationOptions): Rebuildable {
  const { db, client, logger, base, leaseMs } = options
  const postingOf = (generation: Generation, fence: Fence | null = null): Posting =>
    createPosting({
      client,
      fence,
      generation,
      logger,
      ...(base !== undefined && { base }),
      ...(leaseMs !== undefined && { leaseMs }),
    } satisfies PostingOptions)
  return {
    name: TYPESENSE,
    // A project is one holder's at a time.
    parallel: 1,
    layoutVersion: LAYOUT_VERSION,
    // A collection that is gone is made again and posted from the beginning by whoever posts it (`keep-collection.ts`).
    problemOf: () => Promise.resolve(null),
    writesLate: true,
    create: (model, builder) => createGeneration(db, model, builder),
    async prepare(generation, _, fence) {
      await fence.check(db)
      await keepCollection(db, postingOf(generation))
    },
    loadTarget: (generation, load) => typesenseLoadTarget(postingOf(generation, load.fence), load),
    fillVectors: (generation, fence) => postAllVectors(db, postingOf(generation, fence)),
    async pendingVectors({ generation }) {
      const { pending } = await db
        .selectFrom('typesense_pending_vectors')
        .select((eb) => eb.fn.countAll<number>().as('pending'))
        .where('generation', '=', generation)
        .executeTakeFirstOrThrow()
      return pending
    },
    buildIndexes: (_, fence) => fence.check(db),
    post: (generation) => postGeneration(options, generation),
    check: (generation) => typesenseCheckable(postingOf(generation)),
    async drop(generation) {
      // Its number is never given again, so that this is the collection that is meant, however late.
      const found = (await listGenerations(db, TYPESENSE)).find((one) => one.generation === generation)
      if (found?.status !== 'dropping') return
      await deleteCollection(client, generation, base)
      await forgetTypesenseGeneration(db, generation)
    },
  }
}

function typesenseLoadTarget(posting: Posting, { regenerateBefore }: LoadTargetOptions): LoadTarget {
  const { place, generation } = posting
  return {
    async load(scope, { memories, parked }) {
      if (memories.length === 0 && parked.length === 0) return
      const loaded = memories.map(
        ({ newest: { data, version, sequence } }): Memory => ({ state: data.state, version, sequence }),
      )
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
      await underClaim(posting, scope, null, async (held) => {
        const posted = await postMemories(posting, held, loaded)
        await held.commit(async (trx) => {
          await parkEvents(trx, place, scope.projectId, parked)
          await recordPosted(trx, posting, scope.projectId, posted)
        })
      })
    },
    endPage: () => Promise.resolve(),
    endProject: (scope, { head }) =>
      underClaim(posting, scope, null, (held) =>
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

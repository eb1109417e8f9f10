import { randomUUID } from 'node:crypto'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { isFree } from '@daybook/postgres/lease'
import { forgetGeneration, holdDropping, ofGeneration } from '@daybook/projection/generations/generations'
import { type GenerationLayout, lockMaking } from '@daybook/projection/generations/swap-generations'
import { sql } from 'kysely'
import { LAYOUT_VERSION } from './collection.ts'

/** The projection's name everywhere. */
export const TYPESENSE = 'typesense'

/**
 * How to create generations of the Typesense read model. Whoever writes a generation first creates its
 * collection (`keep-collection.ts`).
 */
export const TYPESENSE_LAYOUT: GenerationLayout = { projection: TYPESENSE, layoutVersion: LAYOUT_VERSION }

/**
 * Deletes everything that Postgres records about a generation that is being dropped and whose collection is
 * gone.
 */
export async function forgetTypesenseGeneration(db: Database, generation: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await holdDropping(trx, { projection: TYPESENSE, generation }))) return
    for (const table of ['typesense_pending_vectors', 'typesense_reposts', 'typesense_collections'] as const)
      await trx.deleteFrom(table).where('generation', '=', generation).execute()
    await forgetGeneration(trx, { projection: TYPESENSE, generation })
  })
}

/**
 * Records which incarnation of the collection the generation's positions belong to. If they belonged to
 * another one, that collection is gone with its documents. The generation then starts again from 0 in every
 * project: its positions, parked events and waiting memories are deleted.
 *
 * A process that is writing meanwhile finds that its lease is no longer its own. Nobody else gets that project before the
 * lease has run out: a call without an answer may still write into the new collection, over newer documents.
 *
 * @returns whether the generation starts again
 */
export async function adoptCollection(
  db: Database,
  generation: number,
  incarnation: string,
): Promise<boolean> {
  if ((await knownIncarnation(db, generation)) === incarnation) return false
  return db.transaction().execute(async (trx) => {
    await lockMaking(trx)
    const known = await knownIncarnation(trx, generation)
    if (known === incarnation) return false
    await trx
      .insertInto('typesense_collections')
      .values({ generation, incarnation })
      .onConflict((conflict) => conflict.column('generation').doUpdateSet({ incarnation }))
      .execute()
    await trx
      .deleteFrom('checkpoints')
      .where('reader', '=', TYPESENSE)
      .where('generation', '=', generation)
      .execute()
    const place = ofGeneration({ name: TYPESENSE, generation })
    await trx.deleteFrom('parked_events').where(place).execute()
    await sql`delete from positions place where ${place} and ${isFree('place')}`.execute(trx)
    await sql`
      update positions set position = 0, hash = default, server_run = null,
        lease_owner = case when lease_owner is not null then ${randomUUID()}::uuid end
      where ${place}`.execute(trx)
    for (const table of ['typesense_pending_vectors', 'typesense_reposts'] as const)
      await trx.deleteFrom(table).where('generation', '=', generation).execute()
    return known !== undefined
  })
}

async function knownIncarnation(
  db: Database | DatabaseTransaction,
  generation: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('typesense_collections')
    .select('incarnation')
    .where('generation', '=', generation)
    .executeTakeFirst()
  return row?.incarnation
}

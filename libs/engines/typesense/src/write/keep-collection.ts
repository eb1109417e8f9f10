import type { Database } from '@daybook/postgres/connect'
import { ensureAlias, ensureCollection } from './collection.ts'
import { adoptCollection } from './generation.ts'
import type { GenerationWriter } from './writer.ts'

/**
 * Sees to it that the collection is there and the positions are about it, and that the alias leads somewhere. Where the
 * collection is another than it was (Typesense lost its data, got a new disk, or the layout is a new one), the generation is written from 0 again.
 * @throws TypesenseUnavailableError
 */
export async function keepCollection(db: Database, writer: GenerationWriter): Promise<void> {
  const { client, generation, base } = writer
  const incarnation = await ensureCollection(client, generation, base)
  if (await adoptCollection(db, generation.generation, incarnation))
    writer.logger.warn(
      { collection: writer.collection },
      'the collection was lost or of an earlier layout; it is written again from the journal',
    )
  writer.isKept = true
  const live = await db
    .selectFrom('generations')
    .select('generation')
    .where('projection', '=', writer.place.name)
    .where('status', '=', 'live')
    .executeTakeFirst()
  if (live?.generation === generation.generation) await ensureAlias(client, generation.generation, base)
}

import type { Database } from '@daybook/postgres/connect'
import { ensureAlias, ensureCollection } from './collection.ts'
import { adoptCollection } from './generation.ts'
import type { GenerationWriter } from './writer.ts'

/**
 * Makes sure that the collection exists, that the positions belong to it, and that the alias points to it if
 * the generation is live. If it is not the former collection (Typesense lost its data or got a new disk, or
 * the layout changed), the generation is written from 0 again.
 * @throws TypesenseUnavailableError
 */
export async function keepCollection(db: Database, writer: GenerationWriter): Promise<void> {
  const { client, generation, base } = writer
  const incarnation = await ensureCollection(client, generation, base)
  if (await adoptCollection(db, generation.generation, incarnation))
    writer.logger.warn(
      { collection: writer.collection },
      'the collection was lost or had an earlier layout; it is rewritten from the journal',
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

import { appendOne, createJournalWriter } from '@daybook/journal/append/journal-writer'
import { placeAt } from '@daybook/journal/testing/place-at'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setPosition } from '../positions/positions.ts'
import { readProjectStatus } from './project-status.ts'

const metadata = { actor: null, correlationId: null, causationId: null }
const GENERATION = { projection: 'pgvector', generation: 1 }
const PLACE = { name: 'pgvector', generation: 1 }

describe.each(TEST_DATABASES)('the status of a projection on $name', ({ start }) => {
  let database: TestDatabase
  const writer = createJournalWriter(() => {})
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  async function projectWith(events: number): Promise<ProjectScope> {
    const scope = await database.newProject()
    for (let index = 0; index < events; index += 1)
      await appendOne(writer, scope, {
        command: {
          type: 'remember',
          id: newId(),
          input: { content: { kind: 'note', fields: { text: `event ${index}` } } },
        },
        metadata,
      })
    return scope
  }
  const applied = async (scope: ProjectScope, position: number) => {
    const place = await placeAt(scope, position)
    await database.db.transaction().execute((trx) => setPosition(trx, PLACE, scope.projectId, place))
  }
  const age = (scope: ProjectScope, what: 'events' | 'positions') =>
    asOwner(database, (db) =>
      what === 'events'
        ? sql`update events set recorded_at = recorded_at - interval '1 minute' where project_id = ${scope.projectId}`.execute(
            db,
          )
        : sql`update positions set moved_at = moved_at - interval '1 minute' where project_id = ${scope.projectId}`.execute(
            db,
          ),
    )
  const status = async (scope: ProjectScope) => (await readProjectStatus(scope, GENERATION)).status

  it('says how far it has come', async () => {
    const scope = await projectWith(3)
    await applied(scope, 2)
    expect(await readProjectStatus(scope, GENERATION)).toEqual({
      name: 'pgvector',
      generation: 1,
      position: 2,
      head: 3,
      lag: 1,
      parked: 0,
      status: 'live',
    })
  })

  it('is stopped even if events were recorded while the clock was ahead', async () => {
    const scope = await projectWith(2)
    await applied(scope, 1)
    expect(await status(scope)).toBe('live')
    await asOwner(database, async (db) => {
      await sql`update events set recorded_at = '2099-01-01' where project_id = ${scope.projectId}`.execute(
        db,
      )
      await sql`update positions set moved_at = '2099-01-01' where project_id = ${scope.projectId}`.execute(
        db,
      )
    })
    expect(await status(scope)).toBe('stopped')
    await applied(scope, 2)
    expect(await status(scope)).toBe('live')
  })

  it('is stopped when an event has waited, and nothing moved, for half a minute', async () => {
    const scope = await projectWith(2)
    expect(await status(scope)).toBe('live')
    await age(scope, 'events')
    expect(await status(scope), 'never written').toBe('stopped')
    await applied(scope, 1)
    expect(await status(scope), 'behind, but busy').toBe('live')
    await age(scope, 'positions')
    expect(await status(scope)).toBe('stopped')
    await applied(scope, 2)
    await age(scope, 'positions')
    expect(await status(scope), 'up to date, with nothing to do').toBe('live')
  })

  it('is rebuilding while another generation is made, and unreachable before anything else', async () => {
    const scope = await projectWith(1)
    const making = { projection: 'pgvector', generation: 2, model_id: 'm', dimension: 3 }
    for (const state of ['building', 'following'] as const) {
      await database.db
        .insertInto('generations')
        .values({ ...making, status: state })
        .execute()
      expect(await status(scope)).toBe('rebuilding')
      expect(await readProjectStatus(scope, GENERATION, false)).toMatchObject({ status: 'unreachable' })
      await database.db.deleteFrom('generations').where('generation', '=', 2).execute()
    }
    expect(await status(scope)).toBe('live')
  })
})

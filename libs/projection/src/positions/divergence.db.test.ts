import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { readEnd, readJournal } from '@daybook/journal/read/read'
import { loseTail } from '@daybook/journal/testing/lose-tail'
import { note } from '@daybook/journal/testing/requests'
import type { LinkedEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { type Logger, silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Projector, startProjector } from '../apply/projector.ts'
import { readProjectStatus } from '../status/project-status.ts'
import { type RecordingProjection, recordingProjection } from '../testing/recording-projection.ts'
import { readDivergence } from './divergence.ts'
import { createPositionSignal } from './positions.ts'
import { readReadings } from './readings.ts'

/** Far longer than a test, so that the poll of the journal cannot be the cause of anything. */
const NEVER = 3_600_000

describe.each(TEST_DATABASES)('a journal that lost its end, on $name', ({ start }) => {
  let database: TestDatabase
  let committed: LinkedEvent[]
  const projectors: Projector[] = []
  const writer = createJournalWriter((_, events) => committed.push(...(events as LinkedEvent[])))
  beforeAll(async () => {
    database = await start()
  })
  afterEach(async () => {
    await Promise.all(projectors.splice(0).map((projector) => projector.stop()))
  })
  afterAll(() => database?.stop())

  async function journalOf(events: number): Promise<ProjectScope> {
    committed = []
    const scope = await database.newProject()
    await append(scope, events)
    return scope
  }
  const append = (scope: ProjectScope, events: number) =>
    writer.appendMany(
      scope,
      Array.from({ length: events }, (_, index) => note(`note ${index}`)),
    )

  function run(projection: RecordingProjection, { pollMs = NEVER, logger = silentLogger } = {}) {
    const bus = createInProcessBus()
    projectors.push(
      startProjector({ db: database.db, projection, bus, signal: createPositionSignal(), logger, pollMs }),
    )
    return (scope: ProjectScope, ...events: LinkedEvent[]) => bus.publish(scope.projectId, events)
  }
  const reached = (projection: RecordingProjection, scope: ProjectScope, sequence: number) =>
    vi.waitUntil(async () => (await projection.position(scope)).sequence === sequence)
  const equal = async (projection: RecordingProjection, scope: ProjectScope) => {
    const events = await readJournal(scope, { after: 0, limit: 1_000 })
    const applied = projection.applied.filter(({ projectId }) => projectId === scope.projectId)
    expect(applied.map(({ hash }) => hash)).toEqual(events.map(({ hash }) => hash))
    expect(await projection.position(scope)).toEqual(await readEnd(scope))
  }
  const projections = () => recordingProjection(`test-${newId()}`)

  it('what a projector knows from the bus and the journal has lost is never applied', async () => {
    const scope = await journalOf(3)
    // Including what is taken back afterwards: for a moment it could be found.
    const everApplied: string[] = []
    const projection = recordingProjection(`test-${newId()}`, ({ events }) => {
      everApplied.push(...events.map(({ hash }) => hash))
    })
    const publish = run(projection)
    await reached(projection, scope, 3)
    await append(scope, 2)
    const lost = committed.slice(3)
    await loseTail(database, scope, 3)
    publish(scope, ...lost)
    await append(scope, 3)
    const [fourth, fifth, sixth] = committed.slice(5)
    if (fourth === undefined || fifth === undefined || sixth === undefined) throw new Error('there are three')
    publish(scope, sixth)
    publish(scope, fourth, fifth)
    await reached(projection, scope, 6)
    await equal(projection, scope)
    expect(everApplied.filter((hash) => lost.some((event) => event.hash === hash))).toEqual([])
    expect(await readDivergence(scope, projection)).toBeNull()
  })

  it('what the bus brings of two histories is never applied as one', async () => {
    const scope = await journalOf(3)
    const projection = projections()
    const publish = run(projection)
    await reached(projection, scope, 3)
    await append(scope, 2)
    const lost = committed.slice(3)
    await loseTail(database, scope, 3)
    await append(scope, 3)
    const sixth = committed.slice(7)
    // Both arrive before the projector's turn, without a gap, and the journal has the last of them.
    publish(scope, ...lost)
    publish(scope, ...sixth)
    await reached(projection, scope, 6)
    await equal(projection, scope)
    expect(await readDivergence(scope, projection)).toBeNull()
  })

  it('news of events that the journal has lost is given up, so that other news comes through', async () => {
    const scope = await journalOf(2)
    const bus = createInProcessBus()
    const groups: Promise<void>[] = []
    const projection = projections()
    projectors.push(
      startProjector({
        db: database.db,
        projection,
        bus: {
          ...bus,
          consume: (group, handle) =>
            bus.consume(group, (news) => {
              const handled = handle(news)
              groups.push(handled)
              return handled
            }),
        },
        signal: createPositionSignal(),
        logger: silentLogger,
        pollMs: NEVER,
      }),
    )
    await reached(projection, scope, 2)
    await append(scope, 2)
    const lost = committed.slice(2)
    await loseTail(database, scope, 2)
    await bus.publish(scope.projectId, lost)
    expect(await Promise.all(groups)).toHaveLength(1)
    await equal(projection, scope)
  })

  it('a position beyond the end is reported and goes back to the last common place by itself', async () => {
    const scope = await journalOf(3)
    const projection = projections()
    const errors = vi.fn<(about: unknown) => void>()
    const logger: Logger = { ...silentLogger, error: errors }
    run(projection, { pollMs: 50, logger })
    await reached(projection, scope, 3)
    await append(scope, 3)
    await reached(projection, scope, 6)
    await loseTail(database, scope, 4)
    await vi.waitUntil(async () => (await projection.position(scope)).sequence === 4)
    await equal(projection, scope)
    expect(errors.mock.calls.map(([about]) => about)).toEqual([
      expect.objectContaining({
        projectId: scope.projectId,
        position: expect.objectContaining({ sequence: 6 }),
        head: expect.objectContaining({ sequence: 4 }),
        common: expect.objectContaining({ sequence: 3 }),
      }),
    ])
    await append(scope, 3)
    await reached(projection, scope, 7)
    await equal(projection, scope)
  })

  it('a copy, whose end is replaced again and again, goes back no further than to its last batch', async () => {
    const scope = await journalOf(3)
    const follow = (followed: boolean) =>
      asOwner(database, (owner) =>
        sql`update journal_heads set followed = ${followed} where project_id = ${scope.projectId}`.execute(
          owner,
        ),
      )
    const debugs = vi.fn<(about: unknown) => void>()
    const errors = vi.fn<(about: unknown) => void>()
    const projection = projections()
    for (const head of [3, 4, 6]) {
      if (head > 3) await append(scope, head === 4 ? 1 : 2)
      await follow(true)
      run(projection, { pollMs: 50, logger: { ...silentLogger, debug: debugs, error: errors } })
      await reached(projection, scope, head)
      if (head === 6) break
      await projectors.splice(0)[0]?.stop()
      await follow(false)
    }
    await loseTail(database, scope, 5)
    await reached(projection, scope, 5)
    await equal(projection, scope)
    expect(errors).not.toHaveBeenCalled()
    expect(debugs).toHaveBeenCalledWith(
      expect.objectContaining({ common: expect.objectContaining({ sequence: 4 }) }),
      expect.anything(),
    )
  })

  it.each([
    ['fewer events than', 1],
    ['as many events as', 3],
    ['more events than', 5],
  ])('a projection follows a journal that has got %s it lost', async (_, again) => {
    const scope = await journalOf(3)
    const projection = projections()
    run(projection, { pollMs: 50 })
    await reached(projection, scope, 3)
    await append(scope, 3)
    await reached(projection, scope, 6)
    await projectors.splice(0)[0]?.stop()
    await loseTail(database, scope, 3)
    await append(scope, again)
    expect(await readDivergence(scope, projection)).toMatchObject({
      position: { sequence: 6 },
      head: { sequence: 3 + again },
    })
    run(projection, { pollMs: 50 })
    await vi.waitUntil(async () => (await readDivergence(scope, projection)) === null)
    await reached(projection, scope, 3 + again)
    await equal(projection, scope)
  })

  it('a projection begins again where no common place is known', async () => {
    const scope = await journalOf(6)
    const projection = projections()
    run(projection)
    await reached(projection, scope, 6)
    await projectors.splice(0)[0]?.stop()
    await loseTail(database, scope, 2)
    await append(scope, 1)
    run(projection, { pollMs: 50 })
    await reached(projection, scope, 3)
    expect(await readDivergence(scope, projection)).toBeNull()
    await equal(projection, scope)
  })

  it.each([
    ['is empty', 0],
    ['lacks the event at its own end', 4],
  ])(
    'what was applied of a journal that %s stays, and an error says that the journal is damaged',
    async (what, head) => {
      const scope = await journalOf(4)
      const projection = projections()
      const errors = vi.fn<(about: unknown, message?: string) => void>()
      run(projection, { pollMs: 20, logger: { ...silentLogger, error: errors } })
      await reached(projection, scope, 4)
      await (head === 0
        ? loseTail(database, scope, 0)
        : asOwner(database, (trx) =>
            trx.deleteFrom('events').where('project_id', '=', scope.projectId).execute(),
          ))
      // If the journal's head is intact, only a projector that reads on notices a wrong position.
      if (head !== 0)
        await sql`update positions set position = 3 where project_id = ${scope.projectId}`.execute(
          database.db,
        )
      await vi.waitUntil(() => errors.mock.calls.length > 0)
      expect(errors.mock.calls[0]?.[1]).toContain(what)
      expect(projection.applied.filter(({ projectId }) => projectId === scope.projectId)).toHaveLength(4)
      expect(await readDivergence(scope, projection)).not.toBeNull()
      await vi.waitUntil(
        async () =>
          (await readProjectStatus(scope, { projection: projection.name, generation: 1 })).status ===
          'diverged',
      )
      expect(errors).toHaveBeenCalledTimes(1)
    },
  )

  it('the status is diverged until somebody heals it, whatever the lag', async () => {
    const scope = await journalOf(4)
    const projection = projections()
    const generation = { projection: projection.name, generation: projection.generation }
    run(projection)
    await reached(projection, scope, 4)
    await projectors.splice(0)[0]?.stop()
    expect(await readProjectStatus(scope, generation)).toMatchObject({ status: 'live', lag: 0 })
    expect(await readDivergence(scope, projection)).toBeNull()
    await loseTail(database, scope, 3)
    expect(await readProjectStatus(scope, generation)).toMatchObject({ status: 'diverged', lag: -1 })
    await append(scope, 1)
    expect(await readProjectStatus(scope, generation)).toMatchObject({ status: 'diverged', lag: 0 })
    await append(scope, 1)
    expect(await readProjectStatus(scope, generation)).toMatchObject({ status: 'diverged', lag: 1 })
    expect(await readDivergence(scope, projection)).toMatchObject({ position: { sequence: 4 } })
    await database.db
      .insertInto('generations')
      .values({ ...generation, status: 'live', model_id: 'none', dimension: 1 })
      .execute()
    const readings = await readReadings(database.db, false)
    expect(readings).toContainEqual(
      expect.objectContaining({ name: 'daybook_diverged_projects', value: new Map([[projection.name, 1]]) }),
    )
  })
})

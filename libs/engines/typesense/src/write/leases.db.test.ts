import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { placeAt } from '@daybook/journal/testing/place-at'
import { contentHash } from '@daybook/memory/content'
import { CHAIN_START } from '@daybook/memory/event-hash'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { PositionMoved, type Projection } from '@daybook/projection/projection'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TypesenseClient } from '../client/client.ts'
import { PLACES, startTypesenseHarness, type TypesenseHarness } from '../testing/typesense-harness.ts'
import { exportDocuments, ofProject } from '../verify/compare-memories.ts'
import { leaseProject, releaseLease, renewLease } from './lease.ts'
import { rewriteNoted } from './rewrites.ts'
import { writeVectors } from './write-vectors.ts'

describe.each(PLACES)('two replicas on one project, $name', ({ database, server }) => {
  let harness: TypesenseHarness
  beforeAll(async () => {
    harness = await startTypesenseHarness(database, server)
  })
  afterAll(() => harness?.stop())

  /** A client whose next import is held back just before it is sent. */
  function pausing() {
    let resume = () => {}
    let isPaused = false
    const standstill = new Promise<void>((resolve) => {
      resume = resolve
    })
    const client: TypesenseClient = {
      ...harness.client,
      async importLines(...lines) {
        isPaused = true
        await standstill
        return harness.client.importLines(...lines)
      },
    }
    return { client, resume: () => resume(), paused: () => vi.waitUntil(() => isPaused) }
  }
  const leaseRunsOut = ({ db, projectId }: ProjectScope) =>
    sql`update positions set leased_until = now() - interval '1 s' where project_id = ${projectId}`.execute(
      db,
    )
  async function apply(
    projection: Projection,
    scope: ProjectScope,
    { from, to }: { from: number; to: number },
  ) {
    const events = (await readJournal(scope, { after: from, limit: to - from })).map(readable)
    await projection.apply(scope, {
      from: await placeAt(scope, from),
      to: await placeAt(scope, to),
      events,
      parked: [],
      erased: [],
    })
  }
  const noted = async ({ db, projectId }: ProjectScope) =>
    (
      await db
        .selectFrom('typesense_reposts')
        .select('memory_id')
        .where('project_id', '=', projectId)
        .execute()
    ).length

  it('only one has a lease; it can be renewed, given back, and taken once its lease has run out', async () => {
    const scope = await harness.newProject()
    const { db, projectId } = scope
    const { place } = harness.generationWriter
    const lease = () => leaseProject(db, place, projectId, { leaseMs: 1_800_000 })
    const first = await lease()
    const token = first?.token ?? ''
    expect(first?.position.sequence).toBe(0)
    expect(await lease()).toBeNull()
    expect(await renewLease(db, place, projectId, { token, leaseMs: 1_800_000 })).toBe(true)
    expect(await releaseLease(db, place, projectId, token)).toBe(true)
    expect(await lease()).not.toBeNull()
    await leaseRunsOut(scope)
    expect(await lease()).not.toBeNull()
    expect(await renewLease(db, place, projectId, { token, leaseMs: 1_800_000 })).toBe(false)
    expect(await releaseLease(db, place, projectId, token)).toBe(false)
  })

  it('a lease from another position than it is at is refused', async () => {
    const scope = await harness.newProject()
    const { place } = harness.generationWriter
    const lease = (sequence: number) => {
      const from = { sequence, hash: CHAIN_START }
      return leaseProject(scope.db, place, scope.projectId, { leaseMs: 1_800_000, batch: { from, to: from } })
    }
    expect(await lease(3)).toBeNull()
    expect(await lease(0)).toMatchObject({ position: { sequence: 0 } })
  })

  it('while one is at work the other leaves the project alone', async () => {
    const scope = await harness.newProject()
    await harness.append(scope, rememberCommand(note('one at a time')))
    const { client, resume, paused } = pausing()
    const leaseMs = 1_800_000
    const slow = apply(harness.replica({ client, leaseMs }).projection, scope, { from: 0, to: 1 })
    await paused()
    await expect(apply(harness.projection, scope, { from: 0, to: 1 })).rejects.toThrow(PositionMoved)
    resume()
    await slow
    await expect(apply(harness.projection, scope, { from: 0, to: 1 })).rejects.toThrow(PositionMoved)
    expect(await harness.check(scope)).toEqual([])
  })

  it('what one writes that was paused beyond its lease is written again as the journal has it', async () => {
    const scope = await harness.newProject()
    const memory = rememberCommand(note('first text'))
    await harness.append(scope, memory, { type: 'revise', id: memory.id, input: note('second text') })
    const { client, resume, paused } = pausing()
    const late = harness.replica({ client })
    const stale = apply(late.projection, scope, { from: 0, to: 1 })
    await paused()
    await leaseRunsOut(scope)
    await apply(harness.projection, scope, { from: 0, to: 1 })
    await apply(harness.projection, scope, { from: 1, to: 2 })
    expect(await harness.check(scope)).toEqual([])
    resume()
    await expect(stale).rejects.toThrow(PositionMoved)
    // The late import has overwritten the new text with the old one.
    expect(await harness.check(scope)).not.toEqual([])
    expect(await noted(scope)).toBe(1)
    await rewriteNoted(harness.db, harness.generationWriter)
    expect(await harness.check(scope)).toEqual([])
    expect(await noted(scope)).toBe(0)
    expect(await harness.projection.position(scope)).toEqual(await placeAt(scope, 2))
  })

  it('what a late one writes of a memory that was erased meanwhile goes away again', async () => {
    const scope = await harness.newProject()
    const memory = rememberCommand(note('to be erased'))
    await harness.append(scope, memory)
    const { client, resume, paused } = pausing()
    const late = harness.replica({ client })
    const stale = apply(late.projection, scope, { from: 0, to: 1 })
    await paused()
    await leaseRunsOut(scope)
    await harness.writer.erase(scope, [memory.id], { actor: null, correlationId: null, causationId: null })
    await harness.apply(scope)
    resume()
    await expect(stale).rejects.toThrow(PositionMoved)
    const documents = () =>
      exportDocuments(harness.client, harness.generationWriter.collection, ofProject(scope.projectId))
    expect(JSON.stringify(await documents())).toContain('to be erased')
    await rewriteNoted(harness.db, harness.generationWriter)
    expect(await documents()).toEqual([])
    expect(await harness.check(scope)).toEqual([])
  })

  it('a vector given late, to a text that is another by then, goes again', async () => {
    const scope = await harness.newProject()
    const memory = rememberCommand(note('text with a vector'))
    await harness.append(scope, memory)
    await harness.apply(scope)
    await harness.embed()
    const { client, resume, paused } = pausing()
    const late = writeVectors(harness.db, harness.replica({ client }).generationWriter, [
      contentHash('text with a vector'),
    ])
    await paused()
    await leaseRunsOut(scope)
    await harness.append(scope, { type: 'revise', id: memory.id, input: note('text without one yet') })
    await harness.apply(scope)
    resume()
    await late
    expect(await harness.check(scope)).not.toEqual([])
    await rewriteNoted(harness.db, harness.generationWriter)
    expect(await harness.check(scope)).toEqual([])
    await harness.embed()
    await harness.fill()
    expect(await harness.check(scope)).toEqual([])
  })

  it('a note made while the same memory is written again stays', async () => {
    const scope = await harness.newProject()
    const memory = rememberCommand(note('noted twice'))
    await harness.append(scope, memory)
    await harness.apply(scope)
    const noteIt = () =>
      sql`insert into typesense_reposts (generation, project_id, memory_id, note)
        values (${harness.generation.generation}, ${scope.projectId}, ${memory.id}, gen_random_uuid())
        on conflict (generation, project_id, memory_id) do update set note = excluded.note`.execute(scope.db)
    await noteIt()
    const { client, resume, paused } = pausing()
    const rewriting = rewriteNoted(harness.db, harness.replica({ client }).generationWriter)
    await paused()
    await noteIt()
    resume()
    await rewriting
    expect(await noted(scope)).toBe(1)
    await rewriteNoted(harness.db, harness.generationWriter)
    expect(await noted(scope)).toBe(0)
  })
})

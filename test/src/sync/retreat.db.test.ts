import { appendOne } from '@daybook/journal/append/journal-writer'
import { loseTail } from '@daybook/journal/testing/lose-tail'
import { newId } from '@daybook/memory/id'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import { pgvectorVerifiable } from '@daybook/pgvector/verify/verifiable'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { findBehindProjects } from '@daybook/projection/apply/projector'
import { heal } from '@daybook/projection/positions/divergence'
import { verifyProject } from '@daybook/projection/verify/verify-project'
import { appendToBranch } from '@daybook/sync/branch/append-to-branch'
import { listConflicts } from '@daybook/sync/branch/conflicts'
import { sendBranch } from '@daybook/sync/branch/send-branch'
import { retreat } from '@daybook/sync/follower/retreat'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { note, request, startTwo, type TwoDatabases } from './stepped-pair.ts'

const revise = (id: string, text: string) =>
  request({ type: 'revise', id, input: { content: { kind: 'note', fields: { text } } } })

describe.each(SERVICE_DATABASES)('what a lost home had decided, on $name', ({ start }) => {
  let two: TwoDatabases
  let harness: ReadModelHarness
  beforeAll(async () => {
    const started: TestDatabase[] = []
    two = await startTwo(async () => {
      const database = await start()
      started.push(database)
      return database
    })
    harness = await startReadModelHarness({ start: async () => started[1] as TestDatabase })
  })
  afterAll(() => two.stop())

  /** A memory that its home revised after a follower had, offline; and the home has lost its revision. */
  async function overtaken(sawIt: boolean) {
    const pair = await two.newPair()
    const { home, follower, writer, copy, database } = pair
    const id = newId()
    await appendOne(writer, home, request(note('first', id)))
    await copy()
    if (!sawIt) await appendToBranch(follower, [revise(id, 'offline')])
    await appendOne(writer, home, revise(id, 'at home'))
    await copy()
    if (sawIt) await appendToBranch(follower, [revise(id, 'offline')])
    await loseTail(database, home, 1)
    await retreat(follower, 1)
    return { ...pair, memoryId: id }
  }

  it.each([
    ['a conflict where its writer had not seen it', false, 1],
    ['none where its writer had seen it', true, 0],
  ])('goes before what was written offline, which is %s', async (_, sawIt, conflicts) => {
    const { follower, client, copy, hashes } = await overtaken(sawIt)
    for (let sent = 1; sent > 0; ) ({ sent } = await sendBranch(follower, client, 'LATEST_WINS'))
    await copy()
    const [atHome, atFollower] = await hashes()
    expect(atHome).toHaveLength(3)
    expect(atFollower).toEqual(atHome)
    expect(await listConflicts(follower, { limit: 10, resolved: true })).toHaveLength(conflicts)
  })

  it('does not take with it what does not rest on it, where a person has to decide', async () => {
    const { home, follower, writer, client, memoryId } = await overtaken(false)
    await appendOne(writer, home, revise(memoryId, 'once more at home'))
    for (let sent = 1; sent > 0; ) ({ sent } = await sendBranch(follower, client, 'ASK'))
    const found = await listConflicts(follower, { limit: 10, resolved: false })
    expect(found).toHaveLength(2)
    expect(found.filter(({ problem }) => problem.includes('rests on'))).toEqual([])
  })

  it('takes an erased memory out of a projection that had not come to its erasure', async () => {
    const { home, follower, writer, copy } = await two.newPair()
    const { projection, readModel } = harness
    const [kept, erased] = [newId(), newId()]
    await appendOne(writer, home, request(note('kept', kept)))
    await copy()
    await harness.apply(follower)
    await appendOne(writer, home, request(note('the secret', erased)))
    await copy()
    await harness.apply(follower)
    await writer.erase(home, [erased], request(note('')).metadata)
    await copy()
    await retreat(follower, 2)

    expect((await findBehindProjects(follower.db, projection)).behind).toEqual([follower.projectId])
    await heal(follower, projection, await projection.position(follower), null)
    await harness.apply(follower)
    const verified = await verifyProject(follower, pgvectorVerifiable(follower.db, readModel.generation), {
      signal: new AbortController().signal,
    })
    expect(verified.differences).toEqual([])
    const { rows } = await sql<{ memory_id: string }>`
      select memory_id from ${readModel.tables.memories} where project_id = ${follower.projectId}`.execute(
      follower.db,
    )
    expect(rows).toEqual([{ memory_id: kept }])
  })
})

import { loseTail } from '@daybook/journal/testing/lose-tail'
import { newId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { appendToBranch } from '@daybook/sync/branch/append-to-branch'
import { listConflicts } from '@daybook/sync/branch/conflicts'
import { sendBranch } from '@daybook/sync/branch/send-branch'
import { retreat } from '@daybook/sync/follower/retreat'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { note, request, startTwo, type TwoDatabases } from './stepped-pair.ts'

const revise = (id: string, text: string) =>
  request({ type: 'revise', id, input: { content: { kind: 'note', fields: { text } } } })

describe.each(SERVICE_DATABASES)('what a lost home had decided, on $name', ({ start }) => {
  let two: TwoDatabases
  beforeAll(async () => {
    two = await startTwo(start)
  })
  afterAll(() => two.stop())

  /** A memory that its home revised after a follower had, offline; and the home has lost its revision. */
  async function overtaken(sawIt: boolean) {
    const pair = await two.newPair()
    const { home, follower, writer, copy, database } = pair
    const id = newId()
    await writer.append(home, request(note('first', id)))
    await copy()
    if (!sawIt) await appendToBranch(follower, [revise(id, 'offline')])
    await writer.append(home, revise(id, 'at home'))
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
    await writer.append(home, revise(memoryId, 'once more at home'))
    for (let sent = 1; sent > 0; ) ({ sent } = await sendBranch(follower, client, 'ASK'))
    const found = await listConflicts(follower, { limit: 10, resolved: false })
    expect(found).toHaveLength(2)
    expect(found.filter(({ problem }) => problem.includes('rests on'))).toEqual([])
  })
})

import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJournal } from '../read/read.ts'
import { note } from '../testing/requests.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'

describe.each(TEST_DATABASES)('when $name goes away', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  it('appends fail as unavailable, and the same writer works again afterwards', async () => {
    const scope = await database.newProject()
    const writer = createJournalWriter(() => {})
    await appendOne(writer, scope, note('before'))
    const bringBack = await database.outage()
    const results = await Promise.allSettled(['a', 'b'].map((text) => appendOne(writer, scope, note(text))))
    expect(results).toEqual([1, 2].map(() => expect.objectContaining({ status: 'rejected' })))
    expect(results).toMatchObject([1, 2].map(() => ({ reason: { code: 'UNAVAILABLE' } })))
    await bringBack()
    const { memory } = await appendOne(writer, scope, note('after'))
    expect(memory.sequence).toBe(2)
  })

  it('every append is acknowledged and kept, or unavailable; repeated with its key it is there once', async () => {
    const scope = await database.newProject()
    const writer = createJournalWriter(() => {})
    const acknowledged: string[] = []
    const lost: string[] = []
    let isGone = false
    const lane = async (name: number) => {
      // However fast the database is: three appends at least begin after it went away.
      for (let number = 1, after = 0; number <= 30 || after < 3; number += 1) {
        if (isGone) after += 1
        const key = `${name} ${number}`
        try {
          await appendOne(writer, scope, note(key, { idempotencyKey: key }))
          acknowledged.push(key)
        } catch (error) {
          expect(error).toMatchObject({ code: 'UNAVAILABLE' })
          lost.push(key)
        }
      }
    }
    const lanes = Promise.all([1, 2, 3, 4].map(lane))
    while (acknowledged.length < 20) await new Promise((turn) => setTimeout(turn, 1))
    const bringBack = await database.outage()
    isGone = true
    await lanes
    await bringBack()
    expect(lost.length).toBeGreaterThan(0)

    const texts = async () =>
      (await readJournal(scope, { after: 0, limit: 1000 })).map(
        (record) => record.event?.data.state.content.text as string,
      )
    const kept = await texts()
    expect(acknowledged.filter((key) => !kept.includes(key))).toEqual([])
    for (const key of lost) await appendOne(writer, scope, note(key, { idempotencyKey: key }))
    expect((await texts()).toSorted()).toEqual([...acknowledged, ...lost].toSorted())
  })
})

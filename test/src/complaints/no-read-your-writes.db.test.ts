import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, PLACES, startComplained } from './support/complained.ts'
import { asUser, HEALED, newUser, type User } from './support/user.ts'

/**
 * An agent saves a memory, searches for it at once, and gets older ones or nothing. It appears seconds,
 * minutes or a restart later (caura-ai/caura#687, matrixorigin/memoria#210, MystenLabs/MemWal#656).
 *
 * Here a write's answer has its sequence. A request with that sequence, at any gateway, gets an answer that
 * includes the write or says that it does not.
 */
describe.each(PLACES)('no read-your-writes, on $name', ({ database, typesense }) => {
  let daybook: Complained
  let writer: User
  let reader: User
  beforeAll(async () => {
    daybook = await startComplained(database, { gateways: 2, typesense })
    writer = await newUser(daybook.gateways[0]!)
    reader = asUser(daybook.gateways[1]!.client(writer))
  })
  afterAll(() => daybook?.stop())

  it('written at one gateway, found at the other at once: by words, by id, in its newest version, and not when forgotten', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [memory] = await writer.remember([`beacon ${round} lit`])
      const found = await reader.find(`beacon ${round}`, { atLeast: memory!.sequence, mode: 'KEYWORD' })
      expect(found.texts).toContain(`beacon ${round} lit`)
      expect(found.sequence).toBeGreaterThanOrEqual(memory!.sequence)
      const revised = await writer.revise(memory!.id, `beacon ${round} out`)
      const { memory: read } = await reader.data(
        'query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { text } }',
        { id: memory!.id, atLeast: revised },
      )
      expect(read.text).toBe(`beacon ${round} out`)
      const gone = await writer.forget(memory!.id)
      expect((await reader.find(`beacon ${round}`, { atLeast: gone })).texts).not.toContain(
        `beacon ${round} out`,
      )
    }
  })

  it('many at once: each reads its own', async () => {
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const [write, read] = n % 2 === 0 ? [writer, reader] : [reader, writer]
        const [memory] = await write.remember([`flare number ${n}`])
        const { texts } = await read.find(`"flare number ${n}"`, {
          atLeast: memory!.sequence,
          mode: 'KEYWORD',
        })
        expect(texts).toEqual([`flare number ${n}`])
      }),
    )
  })

  it('while nobody writes: the answer says that it is behind, and never passes for whole', async () => {
    const stopAll =
      typesense === null
        ? daybook.gateways.map((one) => one.stopProjector())
        : [daybook.stopTypesenseProjector()]
    await Promise.all(stopAll)
    const [memory] = await writer.remember(['a torch in the fog'])
    if (typesense === null) daybook.gateways[1]!.waitAtMost(50)
    const found = await reader.find('torch', { atLeast: memory!.sequence })
    // With Typesense behind, Postgres answers in its place.
    if (typesense === null) {
      expect(found.degraded.join()).toMatch(/behind the \d+ asked for/u)
      expect(found.sequence).toBeLessThan(memory!.sequence)
      const { body } = await reader.send(
        'query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { text } }',
        {
          id: memory!.id,
          atLeast: memory!.sequence,
        },
      )
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BEHIND' })
    } else expect(found).toMatchObject({ engine: 'POSTGRES', texts: ['a torch in the fog'] })

    daybook.gateways[1]!.waitAtMost()
    await (typesense === null ? daybook.gateways[1]!.startProjector() : daybook.startTypesenseProjector())
    await expect
      .poll(async () => (await reader.find('torch', { atLeast: memory!.sequence })).texts, HEALED)
      .toEqual(['a torch in the fog'])
  })
})

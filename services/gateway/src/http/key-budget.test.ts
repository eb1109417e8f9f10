import { describe, expect, test } from 'vitest'
import { createKeyWork } from './key-budget.ts'

describe('work of one key', () => {
  test('requests beyond the limit wait in their order, and those of other keys do not', async () => {
    const work = createKeyWork(2)
    const ends = [await work.begin('a'), await work.begin('a')]
    const order: string[] = []
    const third = work.begin('a').then((end) => (order.push('third'), end))
    const fourth = work.begin('a').then((end) => (order.push('fourth'), end))
    await work.begin('b')
    expect(order).toEqual([])
    ends[0]?.()
    const endThird = await third
    expect(order).toEqual(['third'])
    endThird()
    await fourth
    expect(order).toEqual(['third', 'fourth'])
  })

  test('a request that gets no turn in time is refused, naming the limit', async () => {
    const work = createKeyWork(1, 20)
    const end = await work.begin('a')
    await expect(work.begin('a')).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringMatching(/^1 requests .*DAYBOOK_REQUESTS_PER_KEY/u),
    })
    end()
    await work.begin('a')
  })
})

import { describe, expect, test } from 'vitest'
import { endingIterator } from './ending-iterator.ts'

/** Yields one value, then waits for the signal, or for ever. */
async function* oneThenNothing(ended: AbortSignal) {
  yield 1
  await new Promise<void>((resolve) => ended.addEventListener('abort', () => resolve(), { once: true }))
}

describe('an iterator that can be ended', () => {
  test('gives the values of its generator, and its end', async () => {
    let over = 0
    const values = endingIterator(
      async function* () {
        yield 1
        yield 2
      },
      () => (over += 1),
    )
    const seen: number[] = []
    for await (const value of values) seen.push(value)
    expect(seen).toEqual([1, 2])
    expect(over).toBe(1)
  })

  test('return() ends a wait at once, and the generator with it', async () => {
    let over!: () => void
    const isOver = new Promise<void>((resolve) => (over = resolve))
    const values = endingIterator(oneThenNothing, over)
    expect(await values.next()).toEqual({ done: false, value: 1 })
    const waiting = values.next()
    expect(await values.return()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
    await isOver
    expect((await values.next()).done).toBe(true)
  })

  test('an end with an error is told once, to whoever waits or asks next', async () => {
    const waited = endingIterator(oneThenNothing)
    await waited.next()
    const waiting = waited.next()
    waited.end(new Error('the key is gone'))
    await expect(waiting).rejects.toThrow('the key is gone')
    expect((await waited.next()).done).toBe(true)

    const idle = endingIterator(oneThenNothing)
    idle.end(new Error('the key is gone'))
    await expect(idle.next()).rejects.toThrow('the key is gone')
  })

  test('a failure of the generator is passed on, and it is over', async () => {
    let over = 0
    const fails = async function* (): AsyncGenerator<number, void> {
      yield 1
      throw new Error('broken')
    }
    const values = endingIterator(fails, () => (over += 1))
    await values.next()
    await expect(values.next()).rejects.toThrow('broken')
    expect(over).toBe(1)
  })
})

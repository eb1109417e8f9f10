import { describe, expect, it } from 'vitest'
import { eachOnce, once } from './once.ts'

describe('what is read once', () => {
  it('is the same for all who ask', async () => {
    let readings = 0
    const read = once(async (word: string) => {
      readings += 1
      return `${word}!`
    })
    expect(readings).toBe(0)
    const first = read('pier')
    expect(read('pier')).toBe(first)
    expect(await first).toBe('pier!')
    expect(readings).toBe(1)
  })

  it('and fails tells whoever waits for it, and nobody else', async () => {
    const failing = () => once(() => Promise.reject(new Error('no connection')))
    void failing()()
    const read = failing()
    void read()
    await new Promise((resolve) => setImmediate(resolve))
    await expect(read()).rejects.toThrow('no connection')
  })
})

describe('things that are read each once', () => {
  it('are begun when they are asked for first, and all found is gathered', async () => {
    const begun: (readonly string[])[] = []
    const read = eachOnce(
      async (keys) => {
        begun.push(keys)
        return keys.map((key) => `${key}!`)
      },
      (found, asked) => ({ found: found.flat(), asked }),
    )
    void read(['a'])
    void read(['a', 'b', 'b'])
    void read([])
    expect(await read(new Set(['b', 'a', 'c']))).toEqual({
      found: ['a!', 'b!', 'c!'],
      asked: ['b', 'a', 'c'],
    })
    expect(begun).toEqual([['a'], ['b'], ['c']])
    expect((await read(['b'])).asked).toEqual(['b'])
    expect(begun).toHaveLength(3)
  })

  it('and fail tell whoever waits for them, and nobody else', async () => {
    const failing = () =>
      eachOnce(
        () => Promise.reject(new Error('no connection')),
        () => null,
      )
    void failing()(['a'])
    const read = failing()
    void read(['a'])
    await new Promise((resolve) => setImmediate(resolve))
    await expect(read(['a'])).rejects.toThrow('no connection')
    await expect(read(['b'])).rejects.toThrow('no connection')
  })
})

import { describe, expect, it } from 'vitest'
import { createPatience } from './patience.ts'

describe('how long Typesense is waited for', () => {
  const after = (...times: number[]) => {
    const patience = createPatience(2_000)
    for (const time of times) patience.took(time)
    return patience
  }
  const times = (count: number, milliseconds: number) => Array<number>(count).fill(milliseconds)

  it('is all the time that the setting gives until it is known what is usual', () => {
    expect(after().allowedMs()).toBe(2_000)
    expect(after(...times(7, 5)).allowedMs()).toBe(2_000)
  })

  it('follows what is usual, between a quarter of the setting and all of it', () => {
    expect(after(...times(8, 5)).allowedMs()).toBe(500)
    expect(after(...times(8, 200)).allowedMs()).toBe(800)
    expect(after(...times(8, 900)).allowedMs()).toBe(2_000)
  })

  it('is not changed by one slow answer among many', () => {
    expect(after(...times(40, 150), 1_900).allowedMs()).toBe(600)
  })

  it('grows where answers are given up, and shrinks again when they come in time', () => {
    const patience = after(...times(64, 130))
    expect(patience.allowedMs()).toBe(520)
    for (let given = 0; given < 4; given++) patience.took(520)
    expect(patience.allowedMs()).toBe(2_000)
    for (const time of times(64, 130)) patience.took(time)
    expect(patience.allowedMs()).toBe(520)
  })
})

import { describe, expect, it } from 'vitest'
import { isMistyped, newKey, shownPrefix } from './api-keys.ts'

describe('a key', () => {
  it('has a prefix, 178 random bits and a checksum, in letters and digits', () => {
    const keys = Array.from({ length: 1_000 }, newKey)
    expect(new Set(keys).size).toBe(1_000)
    for (const key of keys) {
      expect(key).toMatch(/^dbk_[0-9A-Za-z]{36}$/u)
      expect(isMistyped(key)).toBe(false)
      expect(shownPrefix(key)).toBe(key.slice(0, 10))
    }
    // Every character of the alphabet occurs at every place.
    const used = Array.from({ length: 30 }, (_, at) => new Set(keys.map((key) => key[4 + at])).size)
    expect(Math.min(...used)).toBe(62)
  })

  it('has the checksum that others would compute: CRC-32 in base 62, as in GitHub’s tokens', () => {
    // Computed with Python’s zlib.crc32.
    expect(isMistyped('dbk_0000000000000000000000000000002C8GjS')).toBe(false)
  })

  it('is told from one with a wrong, a missing or a swapped character', () => {
    const key = newKey()
    for (let at = 4; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x'
      expect(isMistyped(key.slice(0, at) + other + key.slice(at + 1)), `${at}`).toBe(true)
    }
  })

  it('of another form is not called mistyped: somebody may have chosen it', () => {
    for (const key of ['dbk_wrong', `dbk_${'a'.repeat(43)}`, `dbk_${'-'.repeat(36)}`, newKey().slice(0, -1)])
      expect(isMistyped(key)).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { sessionShares } from './sessions.ts'

describe('sessionShares', () => {
  const hit = (memoryId: string, score: number) => ({ memoryId, score, retrievers: [] })
  const [a, b, c, lone] = [hit('a', 0.5), hit('b', 0.8), hit('c', 0.8), hit('lone', 0.4)]
  const contexts: Record<string, string> = { a: 'one', b: 'one', c: 'one' }
  const within = (context: string) => ({ memoryId: 'any', context, before: [], after: [] })
  const shareOf = sessionShares([a, c, b, lone], (id) => contexts[id], 0.5)

  it('gives every hit of a session a share of its best, equals by id', () => {
    expect(shareOf(a, within('one'))).toEqual({ memoryId: 'b', contribution: 0.4 })
    expect(shareOf(b, within('one'))).toEqual({ memoryId: 'b', contribution: 0.4 })
  })

  it('takes a memory without a context, or alone in one, for its own session', () => {
    expect(shareOf(lone, null)).toEqual({ memoryId: 'lone', contribution: 0.2 })
    expect(shareOf(lone, within('other'))).toEqual({ memoryId: 'lone', contribution: 0.2 })
  })
})

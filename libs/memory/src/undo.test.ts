import { describe, expect, it } from 'vitest'
import { noteState } from './testing/note-state.ts'
import { covers, namesAnything, type UndoneEvent, undoTarget } from './undo.ts'

const everything = { filter: {}, actor: null, correlationId: null }
const ada = { actor: 'ada', correlationId: 'r1' }

describe('what an undo covers', () => {
  it('is told by the state before and after, the agent by the one after', () => {
    const [shop, home] = [
      noteState({ context: 'shop', agent: 'a' }),
      noteState({ context: 'home', agent: 'b' }),
    ]
    const inShop = { ...everything, filter: { context: 'shop' } }
    expect(covers(inShop, ada, { before: shop, after: home })).toBe(true)
    expect(covers(inShop, ada, { before: home, after: shop })).toBe(true)
    expect(covers(inShop, ada, { before: home, after: home })).toBe(false)
    expect(covers(inShop, ada, { before: null, after: home })).toBe(false)
    const byA = { ...everything, filter: { agent: 'a' } }
    expect(covers(byA, ada, { before: shop, after: home })).toBe(false)
    expect(covers(byA, ada, { before: home, after: shop })).toBe(true)
  })

  it('is told by the key and the request', () => {
    const states = { before: null, after: noteState() }
    expect(covers({ ...everything, actor: 'ada' }, ada, states)).toBe(true)
    expect(covers({ ...everything, actor: 'bob' }, ada, states)).toBe(false)
    expect(covers({ ...everything, correlationId: 'r1' }, ada, states)).toBe(true)
    expect(covers({ ...everything, actor: 'ada', correlationId: 'r2' }, ada, states)).toBe(false)
  })

  it('is nothing that a filter without a condition names', () => {
    expect(namesAnything(everything)).toBe(false)
    expect(namesAnything({ ...everything, filter: { includeForgotten: true } })).toBe(false)
    expect(namesAnything({ ...everything, filter: { minImportance: 0 } })).toBe(true)
    expect(namesAnything({ ...everything, actor: 'ada' })).toBe(true)
  })
})

/** Events as `c` (covered), `o` (somebody else's), `x` (expired), or a number: an undo to it, not covered. */
const events = (...said: readonly ('c' | 'o' | 'x' | number)[]): UndoneEvent[] =>
  said.map((one, index) => ({
    version: index + 3,
    type: one === 'x' ? 'MemoryExpired' : 'MemoryRevised',
    covered: one === 'c',
    ...(typeof one === 'number' && { undoneTo: one }),
  }))

describe('where an undo takes a memory', () => {
  it.each([
    ['back before what was done', events('c', 'c'), 2],
    ['back to what somebody else did before', events('o', 'c', 'c'), 3],
    ['back over an expiry', events('c', 'x', 'c', 'x'), 2],
    ['back to the expiry, where that came first', events('x', 'c'), 3],
    ['back over an earlier undo of a part', events('c', 'c', 3), 2],
    ['back over an earlier undo of a part, and what came then', events('c', 'c', 3, 'c'), 2],
    ['back to an earlier undo of everything', events('c', 2, 'c'), 4],
    ['back over somebody else’s change that was undone', events('c', 'o', 3), 2],
  ])('%s', (_, given, toVersion) => {
    expect(undoTarget(given)).toMatchObject({ toVersion })
  })

  it.each([
    ['was done by somebody else', events('o', 'o')],
    ['is undone already', events('c', 'c', 2)],
    ['is undone already, further back', events('c', 1)],
    ['has only expired', events('x')],
  ])('nowhere, if what happened %s', (_, given) => {
    expect(undoTarget(given)).toBeNull()
  })

  it('away, if somebody else has only ticked it off since it was remembered', () => {
    const ticked = (version: number): UndoneEvent => ({
      version: version + 1,
      type: 'MemoryRevised',
      covered: false,
      onlyStatus: true,
    })
    const remembered: UndoneEvent = { version: 1, type: 'MemoryRemembered', covered: true }
    expect(undoTarget([remembered, ticked(1)])).toMatchObject({ toVersion: 0 })
    const [revised] = events('c')
    expect(undoTarget([revised as UndoneEvent, ticked(3)])).toHaveProperty('changedBy')
  })

  it('nowhere, if somebody else has changed it since', () => {
    const given = events('o', 'c', 'o', 'c')
    expect(undoTarget(given)).toEqual({ changedBy: given[2], covered: [given[1], given[3]] })
  })
})

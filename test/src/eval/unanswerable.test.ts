import { describe, expect, it } from 'vitest'
import { type Collection, together } from './collection.ts'
import { withUnanswerable } from './unanswerable.ts'

const group = (name: string, questions: number) => ({
  name,
  memories: [{ id: 'a', input: {} }],
  questions: Array.from({ length: questions }, (_, index) => ({
    id: `${name}${index + 1}`,
    text: `${name}?`,
    category: null,
    relevant: new Map([['a', 1]]),
    filter: { kinds: ['NOTE'] },
  })),
})
const collection: Collection = { name: 'three', groups: [group('x', 4), group('y', 2), group('z', 6)] }
const idsOf = ({ groups }: Collection) => groups.map(({ unanswerable }) => unanswerable?.map(({ id }) => id))

describe('withUnanswerable', () => {
  it("takes as many of the other groups' questions as a group has itself, evenly", () => {
    expect(idsOf(withUnanswerable(collection, null))).toEqual([
      ['y1', 'z1', 'z3', 'z5'],
      ['x1', 'z2'],
      ['x1', 'x2', 'x3', 'x4', 'y1', 'y2'],
    ])
  })

  it('takes those of another collection, without filters and judgements', () => {
    const other: Collection = { name: 'other', groups: [group('o', 3)] }
    const asked = withUnanswerable({ name: 'one', groups: [group('x', 2)] }, other)
    expect(asked.groups[0]?.unanswerable).toEqual([
      { id: 'o1', text: 'o?' },
      { id: 'o2', text: 'o?' },
    ])
    expect(asked.groups[0]?.questions).toHaveLength(2)
  })

  it('refuses where every question has an answer in the only group', () => {
    expect(() => withUnanswerable(together(collection), null)).toThrow('has one group')
  })
})

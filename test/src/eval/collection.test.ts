import { describe, expect, it } from 'vitest'
import { type Collection, checkCollection, limitQuestions, together } from './collection.ts'

const group = (name: string, questions: number) => ({
  name,
  memories: [
    { id: 'a', input: {} },
    { id: 'b', input: {} },
  ],
  questions: Array.from({ length: questions }, (_, index) => ({
    id: `${name}${index + 1}`,
    text: 'which?',
    category: null,
    relevant: new Map([['b', 2]]),
  })),
})
const collection: Collection = { name: 'two', groups: [group('x', 4), group('y', 6)] }
const questionIds = ({ groups }: Collection) => groups.map(({ questions }) => questions.map(({ id }) => id))

describe('together', () => {
  it('keeps memories of different groups apart, and judgements with them', () => {
    const { groups } = together(collection)
    expect(groups).toHaveLength(1)
    expect(groups[0]?.memories.map(({ id }) => id)).toEqual(['x/a', 'x/b', 'y/a', 'y/b'])
    expect(groups[0]?.questions[4]?.relevant).toEqual(new Map([['y/b', 2]]))
    expect(() => checkCollection(together(collection))).not.toThrow()
  })
})

describe('limitQuestions', () => {
  it('takes them evenly from all groups', () => {
    expect(questionIds(limitQuestions(collection, 5))).toEqual([
      ['x2', 'x4'],
      ['y2', 'y4', 'y6'],
    ])
    expect(questionIds(limitQuestions(collection, 1))).toEqual([[], ['y6']])
  })

  it('keeps all where there are no more', () => {
    expect(limitQuestions(collection, 10)).toEqual(collection)
    expect(limitQuestions(collection, 99)).toEqual(collection)
  })
})

describe('checkCollection', () => {
  it('refuses an id that names two things, and a collection without questions', () => {
    expect(() => checkCollection({ name: 'c', groups: [group('x', 1), group('x', 1)] })).toThrow(
      'c has the id x1 twice',
    )
    const twice = {
      ...group('x', 1),
      memories: [
        { id: 'a', input: {} },
        { id: 'a', input: {} },
      ],
    }
    expect(() => checkCollection({ name: 'c', groups: [twice] })).toThrow('c has the id a twice')
    expect(() => checkCollection({ name: 'c', groups: [group('x', 0)] })).toThrow('no question')
  })
})

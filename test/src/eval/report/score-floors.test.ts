import { describe, expect, it } from 'vitest'
import { bestFloor, scoreFloors } from './score-floors.ts'

const answer = (relevant: number, ...hits: [score: number, relevant: boolean][]) => ({
  relevant,
  hits: hits.map(([score, isRelevant]) => ({ score, relevant: isRelevant })),
})

describe('scoreFloors', () => {
  const answered = [
    answer(2, [0.9, true], [0.6, false], [0.5, true]),
    answer(1, [0.7, false], [0.4, true]),
    answer(1, [0.3, false]),
  ]
  const nothing = [[0.6, 0.45, 0.1], [0.2], []]
  const measured = scoreFloors(answered, nothing)
  const at = (floor: number) => measured.floors.find((one) => one.floor === floor)

  it('counts wrong hits for nothing, and answers that are cut', () => {
    expect(measured.questions).toBe(3)
    expect(measured.floors).toHaveLength(20)
    // Without a floor: two of three get a hit, 4 / 3 on average; one answer is never found.
    expect(at(0)).toEqual({
      floor: 0,
      falsePositives: 0.66667,
      wrongHits: 1.33333,
      falseNegatives: 0.33333,
      recall: 0.66667,
    })
    // .5 itself stays; the second question loses its only answer.
    expect(at(0.5)).toMatchObject({ falsePositives: 0.33333, falseNegatives: 0.66667, recall: 0.33333 })
    expect(at(0.95)).toMatchObject({ falsePositives: 0, falseNegatives: 1, recall: 0 })
  })

  it('counts only what a search shows: ten hits', () => {
    const eleven = Array.from({ length: 11 }, () => 0.5)
    const late = answer(1, ...eleven.slice(1).map((score): [number, boolean] => [score, false]), [0.5, true])
    expect(scoreFloors([late], [eleven]).floors[0]).toMatchObject({ wrongHits: 10, falseNegatives: 1 })
  })

  it('tells how often an answer beats nothing', () => {
    // The best are .9, .7, .3 and .6, .2, 0: eight of nine pairs.
    expect(measured.auc).toBeCloseTo(8 / 9, 5)
    expect(scoreFloors([answer(1, [0.5, true])], [[0.5]]).auc).toBe(0.5)
  })

  it('names the floor with the fewest errors', () => {
    expect(bestFloor(measured)?.floor).toBe(0.25)
  })
})

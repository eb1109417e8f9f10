/** Numbers of memories with their scores, best first; equal scores by number. */
export interface Scored {
  readonly numbers: readonly number[]
  readonly scores: readonly number[]
}

/** Keeps the best of any number of scored memories. */
export interface BestScored {
  offer(number: number, score: number): void
  /** The number of memories offered. */
  offered(): number
  best(): Scored
}

/**
 * A binary heap with the worst of the kept on top: a memory that is no better than that, as nearly all are,
 * costs one comparison. Of equal scores the smaller number is better.
 *
 * @param limit how many to keep, at least 1
 */
export function keepBest(limit: number): BestScored {
  const numbers: number[] = []
  const scores: number[] = []
  let size = 0
  let offered = 0

  const isWorse = (number: number, score: number, than: number): boolean => {
    const other = scores[than] as number
    return score < other || (score === other && number > (numbers[than] as number))
  }
  const put = (place: number, number: number, score: number): void => {
    numbers[place] = number
    scores[place] = score
  }
  const move = (from: number, to: number): void => put(to, numbers[from] as number, scores[from] as number)

  const sinkFromTop = (number: number, score: number): void => {
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && isWorse(numbers[child + 1] as number, scores[child + 1] as number, child))
        child += 1
      if (isWorse(number, score, child)) break
      move(child, place)
      place = child
    }
    put(place, number, score)
  }
  const rise = (number: number, score: number): void => {
    let place = size++
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isWorse(number, score, parent)) break
      move(parent, place)
      place = parent
    }
    put(place, number, score)
  }

  return {
    offer(number, score) {
      offered += 1
      if (size < limit) rise(number, score)
      else if (!isWorse(number, score, 0)) sinkFromTop(number, score)
    },
    offered: () => offered,
    best() {
      const order = Array.from({ length: size }, (_, place) => place).toSorted((a, b) =>
        isWorse(numbers[a] as number, scores[a] as number, b) ? 1 : -1,
      )
      return {
        numbers: order.map((place) => numbers[place] as number),
        scores: order.map((place) => scores[place] as number),
      }
    },
  }
}

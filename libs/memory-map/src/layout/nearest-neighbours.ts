import { dot, type Matrix, rowOf, squaredDistance } from './matrix.ts'

/** Up to so many rows each is compared with each. */
const EXACT = 2_000
/** Trees of random cuts, and how many rows a leaf may hold. */
const [TREES, LEAF] = [8, 60]

/** The nearest rows of each row, the nearest first: first the row itself, at the distance 0. */
export interface Neighbours {
  /** Neighbours of each row, the row itself included. */
  readonly each: number
  /** Rows, `each` after another for every row. */
  readonly rows: Int32Array
  /** Their squared distances. */
  readonly distances: Float64Array
}

/**
 * Finds the nearest neighbours of each row. Of many rows, only those that a few trees of random cuts put into one leaf
 * with it, and the neighbours of its neighbours (as Dong, Moses, Li 2011), are compared: 97 of 100 are then the true ones.
 * @param each how many, the row itself included; fewer than there are rows
 */
export function nearestNeighbours(rows: Matrix, each: number, random: () => number): Neighbours {
  const nearest = createNearest(rows, each)
  const all = Int32Array.from({ length: rows.rows }, (_, row) => row)
  if (rows.rows <= EXACT) compareEach(all, nearest)
  else {
    for (let tree = 0; tree < TREES; tree += 1) cut(rows, all, random, (leaf) => compareEach(leaf, nearest))
    for (let round = 0; round < 2; round += 1) nearest.compareNeighbours()
  }
  return nearest.found
}

type Nearest = ReturnType<typeof createNearest>

/** The nearest ones found so far, sorted. */
function createNearest(rows: Matrix, each: number) {
  const found: Neighbours = {
    each,
    rows: new Int32Array(rows.rows * each).fill(-1),
    distances: new Float64Array(rows.rows * each).fill(Number.POSITIVE_INFINITY),
  }
  for (let row = 0; row < rows.rows; row += 1) {
    found.rows[row * each] = row
    found.distances[row * each] = 0
  }
  const offer = (row: number, other: number, distance: number): void => {
    const first = row * each
    let at = first + each - 1
    if (distance >= (found.distances[at] as number)) return
    for (let known = first; known <= at; known += 1) if (found.rows[known] === other) return
    // Behind the row itself, whatever the distance.
    for (; at > first + 1 && (found.distances[at - 1] as number) > distance; at -= 1) {
      found.distances[at] = found.distances[at - 1] as number
      found.rows[at] = found.rows[at - 1] as number
    }
    found.distances[at] = distance
    found.rows[at] = other
  }
  const compare = (one: number, other: number): void => {
    const distance = squaredDistance(rows, one, other)
    offer(one, other, distance)
    offer(other, one, distance)
  }
  return {
    found,
    compare,
    /** Compares each row with the neighbours that its neighbours had before. */
    compareNeighbours(): void {
      const before = found.rows.slice()
      const seen = new Int32Array(rows.rows).fill(-1)
      for (let row = 0; row < rows.rows; row += 1)
        for (let near = 1; near < each; near += 1) {
          const neighbour = before[row * each + near] as number
          if (neighbour < 0) continue
          for (let next = 1; next < each; next += 1) {
            const other = before[neighbour * each + next] as number
            if (other < 0 || other === row || seen[other] === row) continue
            seen[other] = row
            compare(row, other)
          }
        }
    },
  }
}

function compareEach(some: Int32Array, nearest: Nearest): void {
  for (let one = 0; one < some.length; one += 1)
    for (let other = one + 1; other < some.length; other += 1)
      nearest.compare(some[one] as number, some[other] as number)
}

/**
 * Cuts into halves across the line between two random rows, again and again, until the parts are small. Halves, because of
 * two rows one is often in the middle, to which nearly all others are nearer.
 */
function cut(rows: Matrix, part: Int32Array, random: () => number, onLeaf: (leaf: Int32Array) => void): void {
  if (part.length <= LEAF) return onLeaf(part)
  const pick = () => rowOf(rows, part[Math.floor(random() * part.length)] as number)
  const [one, other] = [pick(), pick()]
  const direction = one.map((value, at) => value - (other[at] as number))
  const along = Float64Array.from(part, (row) => dot(rowOf(rows, row), direction))
  const middle = along.toSorted()[part.length >> 1] as number
  let near = part.filter((_, at) => (along[at] as number) < middle)
  let far = part.filter((_, at) => (along[at] as number) >= middle)
  // Two rows that are the same cut nothing.
  if (near.length === 0) {
    near = part.slice(0, part.length >> 1)
    far = part.slice(part.length >> 1)
  }
  cut(rows, near, random, onLeaf)
  cut(rows, far, random, onLeaf)
}

import { UMAP } from 'umap-js'
import { type Matrix, rowOf, zeros } from './matrix.ts'
import { nearestNeighbours } from './nearest-neighbours.ts'
import { principalComponents } from './principal-components.ts'

/**
 * Directions that neighbours are looked for in. In the 384 of MiniLM they would be looked for six times as long, and most
 * would be the same ones (docs/measurements.md#a-map-of-memories).
 */
const COMPONENTS = 50

/** Neighbours of each point, itself included: UMAP's usual number. */
const NEIGHBOURS = 15

/** With fewer points there are no neighbourhoods to show: they stand as they differ most. */
const FEW = 10

/** The width of the map at the beginning, as UMAP's own. */
const WIDTH = 20

const SEED = 20_260_101

/** How far the work is, from 0 to 1. */
type OnProgress = (done: number) => void

/**
 * Places vectors in a plane so that near ones stay near: UMAP (McInnes, Healy, Melville 2018), which begins with the two
 * directions in which they differ most, so that the whole has an order too. The same vectors give the same places.
 * Vectors that are the same stand close around one place.
 * @returns x and y of each, around 0 and at most 1 from it
 */
export function layOut(vectors: Matrix, onProgress: OnProgress): Matrix {
  const random = seededRandom(SEED)
  const { distinct, indexOf } = distinctRows(vectors)
  const components = principalComponents(distinct, COMPONENTS, random)
  onProgress(0.05)
  const begin = beginning(components, random)
  const placed = distinct.rows < FEW ? begin : umap(components, begin, random, onProgress)
  return fitted(withCopies(fitted(placed), indexOf))
}

/** The first two components, as wide as UMAP's maps are at their beginning. */
function beginning(components: Matrix, random: () => number): number[][] {
  const at = (row: number, column: number) =>
    column < components.columns ? (components.values[row * components.columns + column] as number) : 0
  const points = Array.from({ length: components.rows }, (_, row) => [at(row, 0), at(row, 1)])
  const widest = Math.max(1e-9, ...spread(points))
  const scale = WIDTH / 2 / widest
  // Points on one spot could not leave it.
  return points.map((point) => point.map((value) => value * scale + (random() - 0.5) * 0.01))
}

/** How far the farthest point is, in each direction. */
function spread(points: readonly (readonly number[])[]): [number, number] {
  let [x, y] = [0, 0]
  for (const [px = 0, py = 0] of points) {
    x = Math.max(x, Math.abs(px))
    y = Math.max(y, Math.abs(py))
  }
  return [x, y]
}

function umap(
  components: Matrix,
  begin: readonly number[][],
  random: () => number,
  onProgress: OnProgress,
): number[][] {
  const each = Math.min(NEIGHBOURS, components.rows - 1)
  const { rows, distances } = nearestNeighbours(components, each, random)
  onProgress(0.15)
  const work = new UMAP({ nNeighbors: each, random })
  const lists = <Value>(take: (at: number) => Value) =>
    Array.from({ length: components.rows }, (_, row) =>
      Array.from({ length: each }, (__, near) => take(row * each + near)),
    )
  work.setPrecomputedKNN(
    lists((at) => rows[at] as number),
    lists((at) => Math.sqrt(distances[at] as number)),
  )
  // With the neighbours given, it only counts the vectors.
  const epochs = work.initializeFit(Array.from({ length: components.rows }, () => []))
  const points = work.getEmbedding()
  for (const [row, point] of points.entries()) point.splice(0, 2, ...(begin[row] as number[]))
  onProgress(0.3)
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    work.step()
    onProgress(0.3 + (0.7 * epoch) / epochs)
  }
  return points
}

/** The golden angle: points that go on by it stand evenly. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5))

/** How far copies stand from each other, where the map is 2 wide. */
const APART = 0.002

/** A place for each vector: those that are the same stand in a spiral around theirs. */
function withCopies(places: Matrix, indexOf: Int32Array): number[][] {
  const copies = new Int32Array(places.rows)
  return Array.from(indexOf, (index) => {
    const copy = copies[index] as number
    copies[index] = copy + 1
    const radius = APART * Math.sqrt(copy)
    return [
      (places.values[2 * index] as number) + radius * Math.cos(copy * GOLDEN),
      (places.values[2 * index + 1] as number) + radius * Math.sin(copy * GOLDEN),
    ]
  })
}

/** The points around their middle, the farthest at 1. */
function fitted(points: readonly (readonly number[])[]): Matrix {
  const result = zeros(points.length, 2)
  for (const column of [0, 1]) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const point of points) {
      low = Math.min(low, point[column] as number)
      high = Math.max(high, point[column] as number)
    }
    for (const [row, point] of points.entries())
      result.values[2 * row + column] = (point[column] as number) - (low + high) / 2
  }
  const widest = result.values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9)
  return { ...result, values: result.values.map((value) => value / widest) }
}

/**
 * Each row once. UMAP takes a time that grows with the square of the number of rows that have only copies around them, and
 * people write "ok" a thousand times.
 * @returns the distinct rows in the order of their first copies, and for each row the index of its own among them
 */
function distinctRows(rows: Matrix): { readonly distinct: Matrix; readonly indexOf: Int32Array } {
  const known = new Map<string, number>()
  const indexOf = new Int32Array(rows.rows)
  const firsts: number[] = []
  for (let row = 0; row < rows.rows; row += 1) {
    const values = rowOf(rows, row)
    const content = Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('latin1')
    let index = known.get(content)
    if (index === undefined) {
      index = firsts.push(row) - 1
      known.set(content, index)
    }
    indexOf[row] = index
  }
  const distinct = zeros(firsts.length, rows.columns)
  for (const [index, row] of firsts.entries()) rowOf(distinct, index).set(rowOf(rows, row))
  return { distinct, indexOf }
}

/**
 * A source of random numbers from 0 to 1 (1 excluded) that gives the same ones for the same seed: mulberry32 by Tommy
 * Ettinger. A map that is made again from the same vectors looks the same.
 */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

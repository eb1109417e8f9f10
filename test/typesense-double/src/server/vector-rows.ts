/**
 * The vectors of one field in one block of memory, by `seq`. With 100,000 objects instead, a search spent
 * more time on walking through them than on the sums.
 */
export interface VectorRows {
  set(seq: number, vector: Float32Array): void
  delete(seq: number): void
  /**
   * Visits all rows whose scalar product with `other` is at least `least()`, which is asked again for each
   * row. Sums are in double precision, within 1e-5 of those of `cosineDistance`.
   */
  each(other: Float32Array, least: () => number, visit: (seq: number, vector: Float32Array) => void): void
}

/** Creates empty rows for vectors of this dimension. */
export function createVectorRows(dimension: number): VectorRows {
  let room = 1_024
  let numbers = new Float32Array(room * dimension)
  let present = new Uint8Array(room)
  let end = 0

  const grow = () => {
    room *= 2
    const [oldNumbers, oldPresent] = [numbers, present]
    numbers = new Float32Array(room * dimension)
    numbers.set(oldNumbers)
    present = new Uint8Array(room)
    present.set(oldPresent)
  }
  return {
    set(seq, vector) {
      while (seq >= room) grow()
      numbers.set(vector, seq * dimension)
      present[seq] = 1
      end = Math.max(end, seq + 1)
    },
    delete(seq) {
      present[seq] = 0
    },
    each(other, least, visit) {
      // A local variable, so that the inner loop does not look it up in the closure.
      const all = numbers
      // Zeros of `other` add nothing, and most of a test embedder's 64 numbers are zero.
      const places = Int32Array.from(other.keys()).filter((place) => other[place] !== 0)
      const wanted = Float64Array.from(places, (place) => other[place] ?? 0)
      for (let seq = 0; seq < end; seq++) {
        if (present[seq] !== 1) continue
        const start = seq * dimension
        let sum = 0
        for (let index = 0; index < places.length; index++)
          sum += (all[start + (places[index] as number)] as number) * (wanted[index] as number)
        if (sum >= least()) visit(seq, all.subarray(start, start + dimension))
      }
    },
  }
}

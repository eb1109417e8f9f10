import { type Matrix, rowOf, zeros } from './matrix.ts'

/**
 * Each row once. UMAP takes a time that grows with the square of the number of rows that have only copies around them, and
 * people write "ok" a thousand times.
 * @returns the distinct rows in the order of their first copies, and for each row the index of its own among them
 */
export function distinctRows(rows: Matrix): { readonly distinct: Matrix; readonly indexOf: Int32Array } {
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

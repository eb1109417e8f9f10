/**
 * An output's width in columns: the terminal's, or no limit elsewhere, because programs need the whole text.
 */
export function columnsOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY
  // A terminal that does not tell its width reports 0 or undefined.
  return Math.max(LEAST, stream.columns || USUAL)
}

/** The width of standard output, in columns. */
export const outputColumns = (): number => columnsOf(process.stdout)

const USUAL = 80
/** The least width to lay text out for. Narrower terminals break the lines themselves. */
const LEAST = 30

/** Columns that an output has: those of a terminal; no limit elsewhere, where nothing may be cut for whoever reads on. */
export function columnsOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY
  // A terminal that does not say how wide it is: 0, or nothing.
  return Math.max(LEAST, stream.columns || USUAL)
}

/** Of standard output, where what was asked for goes. */
export const outputColumns = (): number => columnsOf(process.stdout)

const USUAL = 80
/** In less than this nothing reads well: the terminal breaks the lines then. */
const LEAST = 30

import { createColors } from 'picocolors'

type Paint = (text: string) => string

/** Ways to make text stand out. They change nothing if the output is not a terminal. */
export interface Painter {
  readonly bold: Paint
  readonly dim: Paint
  readonly match: Paint
}

/** Creates a painter. @param coloured whether it changes the text at all */
export function createPainter(coloured: boolean): Painter {
  const { bold, dim, yellow: match } = createColors(coloured)
  return { bold, dim, match }
}

/** Colours on a terminal, unless NO_COLOR (no-color.org) is set. */
export function painterFor(stream: { readonly isTTY?: boolean }): Painter {
  return createPainter(stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb')
}

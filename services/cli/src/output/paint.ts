type Paint = (text: string) => string

/** Ways to make text stand out. They change nothing where the output is not a terminal. */
export interface Painter {
  readonly bold: Paint
  readonly dim: Paint
  readonly match: Paint
}

const wrap =
  (on: number, off: number): Paint =>
  (text) =>
    text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`

const COLOURED: Painter = { bold: wrap(1, 22), dim: wrap(2, 22), match: wrap(33, 39) }
const same: Paint = (text) => text
const PLAIN: Painter = { bold: same, dim: same, match: same }

export function createPainter(coloured: boolean): Painter {
  return coloured ? COLOURED : PLAIN
}

/** Colours on a terminal, unless NO_COLOR (no-color.org) is set. */
export function painterFor(stream: { readonly isTTY?: boolean }): Painter {
  return createPainter(stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb')
}

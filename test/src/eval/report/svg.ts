/** One series of a plot. Its position decides its colour. */
export interface Series {
  readonly name: string
  /** One value for each label of the axis, 0 to 1. */
  readonly values: readonly number[]
}

/** Escapes text for HTML and SVG, including attributes. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** The colour of a series. The page's style sheet defines `--series-0` … `--series-5`. */
export const colour = (index: number) => `var(--series-${index % 6})`

/** How text is placed. */
export interface TextOptions {
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly className?: string
}

/** A text element, with its text escaped. */
export function svgText(x: number, y: number, text: string, options: TextOptions = {}): string {
  const { anchor = 'start', className = '' } = options
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" class="${className}">${escaped(text)}</text>`
}

/** Rounds a coordinate to tenths. */
export const round = (value: number) => Math.round(value * 10) / 10

/** Makes a picture that scales down with the page. */
export function svgPicture(width: number, height: number, title: string, content: readonly string[]): string {
  return `<svg viewBox="0 0 ${round(width)} ${round(height)}" style="max-width:${round(width)}px" role="img" aria-label="${escaped(title)}">${content.join('')}</svg>`
}

/** Draws the coloured names of the series side by side, from the top left. */
export function legend(series: readonly Series[], x: number, y: number): string {
  let left = x
  return series
    .map(({ name }, index) => {
      const at = left
      left += 34 + name.length * 8
      return `<rect x="${round(at)}" y="${y - 9}" width="10" height="10" fill="${colour(index)}"/>${svgText(at + 15, y, name)}`
    })
    .join('')
}

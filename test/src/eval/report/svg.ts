/** Names one series of a plot, and gives it a colour by its place. */
export interface Series {
  readonly name: string
  /** One value for each label of the axis, 0 to 1. */
  readonly values: readonly number[]
}

/** Text that stands in HTML or SVG, in attributes too. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** The page's style sheet gives `--series-0` … `--series-5`. */
export const colour = (index: number) => `var(--series-${index % 6})`

export interface TextOptions {
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly className?: string
}

export function svgText(x: number, y: number, text: string, options: TextOptions = {}): string {
  const { anchor = 'start', className = '' } = options
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" class="${className}">${escaped(text)}</text>`
}

export const round = (value: number) => Math.round(value * 10) / 10

/** A whole picture that scales down with the page. */
export function svgPicture(width: number, height: number, title: string, content: readonly string[]): string {
  return `<svg viewBox="0 0 ${round(width)} ${round(height)}" style="max-width:${round(width)}px" role="img" aria-label="${escaped(title)}">${content.join('')}</svg>`
}

/** Coloured names, one beside the other, from the top left on. */
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

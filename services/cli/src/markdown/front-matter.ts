import { parse, stringify } from 'yaml'

/** A Markdown file taken apart. */
export interface MarkdownFile {
  /** The fields between the lines `---` at its beginning; empty if there are none. */
  readonly fields: Readonly<Record<string, unknown>>
  /** What follows, without the line end at the end of the file. */
  readonly body: string
}

const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/mu

/**
 * Takes a Markdown file with YAML front matter apart, as Obsidian, Basic Memory and Jekyll write it. Dates stay texts.
 * @throws Error if the front matter is not YAML, or is no list of names with values
 */
export function parseMarkdown(text: string): MarkdownFile {
  const whole = text.replace(/^\uFEFF/u, '')
  const found = whole.startsWith('---') ? FRONT_MATTER.exec(whole) : null
  if (found === null || found.index !== 0) return { fields: {}, body: withoutLastLineEnd(whole) }
  const fields: unknown = parse(found[1] ?? '', { schema: 'core' })
  if (fields !== null && (typeof fields !== 'object' || Array.isArray(fields)))
    throw new Error('its front matter is no list of names with values')
  return { fields: { ...fields }, body: withoutLastLineEnd(whole.slice(found[0].length)) }
}

/** The opposite of `parseMarkdown`. */
export function toMarkdown({ fields, body }: MarkdownFile): string {
  // Folded lines would be hard to edit by hand.
  return `---\n${stringify(fields, { lineWidth: 0 })}---\n${body}\n`
}

const withoutLastLineEnd = (text: string) => text.replace(/\r?\n$/u, '')

import { parse as parseToml, stringify } from 'smol-toml'
import { type Entry, type EntryPlace, type Format, lineEnd } from './json-format.ts'

/*
 * No TOML library that is kept writes a file back as it was, so the table is edited as text: its lines, from its header to the next one.
 * smol-toml reads the text before and after. A form that this does not know, such as an inline table, is refused by the comparison
 * that `config-file.ts` makes.
 */

/** TOML. */
export const tomlFormat: Format = { parse, set, remove, isBlank: (text) => text.trim() === '' }

function parse(text: string): Entry {
  try {
    return parseToml(text)
  } catch (error) {
    const { message } = error as Error
    const line = (error as { readonly line?: number }).line
    throw new Error(`${line === undefined ? '' : `line ${line}: `}${message.split('\n')[0]}`, {
      cause: error,
    })
  }
}

function set(text: string, place: EntryPlace, entry: Entry): string {
  const end = lineEnd(text)
  const table = stringify({ [place.section]: { [place.name]: entry } })
    .trimEnd()
    .split('\n')
    .map((line) => line + end)
  const lines = linesOf(text)
  const [first, ...others] = tablesOf(lines, place)
  if (first !== undefined) {
    const gone = indexesOf([first, ...others])
    return lines
      .flatMap((line, index) => (index === first.from ? table : gone.has(index) ? [] : line))
      .join('')
  }
  if (text.trim() === '') return table.join('')
  const separator = text.endsWith('\n') ? end : end + end
  return text + separator + table.join('')
}

function remove(text: string, place: EntryPlace): string {
  const lines = linesOf(text)
  const gone = indexesOf(
    tablesOf(lines, place).map(({ from, to }) => {
      const hasBlankLine = from > 0 && lines[from - 1]?.trim() === ''
      return { from: hasBlankLine ? from - 1 : from, to }
    }),
  )
  return lines.filter((_, index) => !gone.has(index)).join('')
}

/** The lines, each with its end. */
const linesOf = (text: string): readonly string[] => text.split(/(?<=\n)/u)

/** Lines of a text, from the first to before the last, by their indexes. */
interface Lines {
  readonly from: number
  readonly to: number
}

const indexesOf = (parts: readonly Lines[]): ReadonlySet<number> =>
  new Set(parts.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)))

/** The lines of the entry's table and of the tables below it. Blank lines and comments at a table's end belong to the next one. */
function tablesOf(lines: readonly string[], { section, name }: EntryPlace): readonly Lines[] {
  const headers = lines.flatMap((line, from) => {
    const path = headerPath(line.trimEnd())
    return path === null ? [] : [{ from, path }]
  })
  return headers.flatMap(({ from, path }, index) => {
    if (path[0] !== section || path[1] !== name) return []
    let to = headers[index + 1]?.from ?? lines.length
    while (to > from + 1 && /^\s*(?:#.*)?$/u.test((lines[to - 1] ?? '').trimEnd())) to -= 1
    return [{ from, to }]
  })
}

const HEADER = /^\s*\[{1,2}(?<path>[^[\]]+)\]{1,2}\s*(?:#.*)?$/u
const KEY = /^\s*(?:"(?<quoted>[^"\\]*)"|'(?<literal>[^']*)'|(?<bare>[\w-]+))\s*(?:\.|$)/u

/** The names of a table's header: `mcp_servers`, `daybook`. Null for any other line. */
function headerPath(line: string): readonly string[] | null {
  let rest = HEADER.exec(line)?.groups?.['path']
  if (rest === undefined) return null
  const path: string[] = []
  while (rest !== '') {
    const key: RegExpExecArray | null = KEY.exec(rest)
    if (key === null) return null
    path.push(key.groups?.['quoted'] ?? key.groups?.['literal'] ?? key.groups?.['bare'] ?? '')
    rest = rest.slice(key[0].length)
  }
  return path
}

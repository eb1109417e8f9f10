import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

/*
 * JSON as people write it: with comments and trailing commas. jsonc-parser finds the places; the edits are made here, because its own
 * `modify` moves the comment at the end of a line behind what it inserts, and drops it when that is removed.
 */

const isBlank = (text: string): boolean => /^\s*(?:\{\s*\})?\s*$/u.test(text)

/** JSON with comments and trailing commas. */
export const jsonFormat: Format = { parse, set, remove, isBlank }

function parse(text: string): Entry {
  if (text.trim() === '') return {}
  const root = rootOf(text)
  if (root.type !== 'object') throw new Error('it is not an object')
  return getNodeValue(root) as Entry
}

function rootOf(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined && root !== undefined) return root
  const line = text.slice(0, first?.offset ?? 0).split('\n').length
  throw new Error(`line ${line}: ${first === undefined ? 'nothing' : printParseErrorCode(first.error)}`)
}

function set(text: string, { section, name }: EntryPlace, entry: Entry): string {
  if (text.trim() === '') return `${JSON.stringify({ [section]: { [name]: entry } }, null, 2)}\n`
  const root = rootOf(text)
  const present = findNodeAtLocation(root, [section, name])
  if (present !== undefined) {
    const value = written(entry, text, indentAt(text, present.offset))
    return splice(text, [{ from: present.offset, to: endOf(present), by: value }])
  }
  const servers = findNodeAtLocation(root, [section])
  return servers === undefined
    ? insert(text, root, section, { [name]: entry })
    : insert(text, servers, name, entry)
}

function remove(text: string, { section, name }: EntryPlace, withSection: boolean): string {
  const entry = findNodeAtLocation(rootOf(text), [section, name])
  if (entry?.parent === undefined) return text
  const rest = drop(text, entry.parent)
  const servers = findNodeAtLocation(rootOf(rest), [section])
  const isEmpty = servers !== undefined && /^\{\s*\}$/u.test(rest.slice(servers.offset, endOf(servers)))
  return withSection && isEmpty && servers.parent !== undefined ? drop(rest, servers.parent) : rest
}

const endOf = ({ offset, length }: Node): number => offset + length

/** A value in the style of the text, set in like its line. */
const written = (value: unknown, text: string, indent: string): string =>
  JSON.stringify(value, null, indentStep(text))
    .split('\n')
    .join(`${lineEnd(text)}${indent}`)

/** Adds a property behind the last one of an object. */
function insert(text: string, object: Node, key: string, value: unknown): string {
  const last = object.children?.at(-1)
  const close = endOf(object) - 1
  const end = lineEnd(text)
  if (last === undefined) {
    const outer = indentAt(text, object.offset)
    const indent = outer + indentStep(text)
    const inside = text.slice(object.offset + 1, close).trimEnd()
    const by = `${inside}${end}${indent}${JSON.stringify(key)}: ${written(value, text, indent)}${end}${outer}`
    return splice(text, [{ from: object.offset + 1, to: close, by }])
  }
  const comma = commaAfter(text, endOf(last))
  const isOneLine = !text.slice(object.offset, close).includes('\n')
  if (isOneLine) {
    const by = `${comma === null ? ',' : ''} ${JSON.stringify(key)}: ${JSON.stringify(value)}${comma === null ? '' : ','}`
    const at = comma === null ? endOf(last) : comma + 1
    return splice(text, [{ from: at, to: at, by }])
  }
  const indent = indentAt(text, last.offset)
  const at = lineRest(text, comma === null ? endOf(last) : comma + 1)
  const by = `${end}${indent}${JSON.stringify(key)}: ${written(value, text, indent)}${comma === null ? '' : ','}`
  const separator = comma === null ? [{ from: endOf(last), to: endOf(last), by: ',' }] : []
  // At the same offset the comma goes first.
  return at === endOf(last)
    ? splice(text, [{ from: at, to: at, by: `${comma === null ? ',' : ''}${by}` }])
    : splice(text, [...separator, { from: at, to: at, by }])
}

/** Removes a property with the line that it stands on, and the comma that nobody needs then. */
function drop(text: string, property: Node): string {
  const siblings = property.parent?.children ?? []
  const previous = siblings[siblings.indexOf(property) - 1]
  const isLast = siblings.at(-1) === property
  const own = commaAfter(text, endOf(property))
  const to = own === null ? endOf(property) : own + 1
  const before = text.slice(0, property.offset)
  const lead = /\r?\n[ \t]*$/u.exec(before)?.[0] ?? /[ \t]*$/u.exec(before)?.[0] ?? ''
  const parts = [{ from: property.offset - lead.length, to, by: '' }]
  const separator = isLast && own === null && previous ? commaAfter(text, endOf(previous)) : null
  if (separator !== null) parts.push({ from: separator, to: separator + 1, by: '' })
  const rest = splice(text, parts)
  // An object that is left empty closes on the line it opens on.
  const object = property.parent
  if (siblings.length > 1 || object === undefined) return rest
  return rest.slice(0, object.offset) + rest.slice(object.offset).replace(/^\{\s*\}/u, '{}')
}

/** The offset of the comma that follows, behind blanks and comments; null if something else does. */
function commaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  // The library's own names of tokens exist in types only.
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : null
}

/** The end of the line if only blanks and comments are left on it, else the offset itself. */
function lineRest(text: string, offset: number): number {
  const rest = /^[ \t]*(?:\/\*[^\n]*?\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=\r?\n)/u.exec(text.slice(offset))
  return offset + (rest?.[0].length ?? 0)
}

/** How a text ends its lines, `\n` or `\r\n`, by its first line. */
export const lineEnd = (text: string): string => (/\r?\n/u.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n')

/** One step of indentation, by the first line that is set in; two blanks if none is. */
const indentStep = (text: string): string => /\n([ \t]+)\S/u.exec(text)?.[1] ?? '  '

/** The blanks that the line of this offset begins with. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? ''
}

/** Replaces parts of a text; the parts must not overlap. */
function splice(
  text: string,
  parts: readonly { readonly from: number; readonly to: number; readonly by: string }[],
): string {
  let result = text
  for (const { from, to, by } of parts.toSorted((one, next) => next.from - one.from))
    result = result.slice(0, from) + by + result.slice(to)
  return result
}

/** A value of a configuration, as a parser gives it: the whole, or the entry of a server. */
export type Entry = Readonly<Record<string, unknown>>

/** The languages that clients write their configurations in. JSON may have comments and trailing commas. */
export type FormatName = 'json' | 'toml'

/** Where an entry stands: in an object or table of the whole, under its name. */
export interface EntryPlace {
  readonly section: string
  readonly name: string
}

/**
 * Reads and edits a configuration as text. An edit changes what it must and leaves every other byte: comments, order, blanks.
 * Whoever edits compares what the text says before and after (`config-file.ts`), so that a form which an edit does not know is refused.
 */
export interface Format {
  /** What the text says; an empty text says nothing. @throws Error saying where it cannot be read */
  readonly parse: (text: string) => Entry
  /** The text with the entry, in the place of the one of this name if there is one. */
  readonly set: (text: string, place: EntryPlace, entry: Entry) => string
  /** The text without the entry; without its section too, if `withSection` and nothing else is in it. */
  readonly remove: (text: string, place: EntryPlace, withSection: boolean) => string
  /** Whether the text says nothing, not even in a comment. */
  readonly isBlank: (text: string) => boolean
}

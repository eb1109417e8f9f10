import type { Collection, Stored } from './collection.ts'
import { type FilterTree, parseFilter, splitValues } from './parse-filter.ts'
import { RequestFailure } from './reply.ts'
import { type Field, isText } from './schema.ts'

type Test = (stored: Stored) => boolean

const cache = new WeakMap<Collection, { revision: number; sets: Map<string, readonly Stored[]> }>()
/** One multi_search asks with a handful of filters; more are not worth their memory. */
const KEPT_FILTERS = 20

/** The documents that a filter lets through, by arrival; all of them for an empty filter. */
export function filtered(collection: Collection, filterBy: string): readonly Stored[] {
  let kept = cache.get(collection)
  if (kept === undefined || kept.revision !== collection.revision || kept.sets.size >= KEPT_FILTERS) {
    kept = { revision: collection.revision, sets: new Map() }
    cache.set(collection, kept)
  }
  const known = kept.sets.get(filterBy)
  if (known !== undefined) return known
  const tree = parseFilter(filterBy)
  const all = [...collection.documents.values()]
  const passed = tree === null ? all : all.filter(compile(collection, tree))
  kept.sets.set(filterBy, passed)
  return passed
}

function compile(collection: Collection, tree: FilterTree): Test {
  if (tree.type !== 'condition') {
    const left = compile(collection, tree.left)
    const right = compile(collection, tree.right)
    return tree.type === 'and' ? (one) => left(one) && right(one) : (one) => left(one) || right(one)
  }
  if (tree.field === 'id') {
    const wanted = new Set(operands(tree.value.replace(/^!?=\s*/, '')))
    return tree.value.startsWith('!')
      ? (one) => !wanted.has(one.document.id)
      : (one) => wanted.has(one.document.id)
  }
  const field = collection.field(tree.field)
  if (field === undefined)
    throw new RequestFailure(400, `Could not find a filter field named \`${tree.field}\` in the schema.`)
  if (isText(field)) return textTest(collection, field, tree.value)
  return field.type.startsWith('bool') ? boolTest(field, tree.value) : numberTest(field, tree.value)
}

/** The values of an expression, out of their backticks: one, or those of a list in brackets. */
function operands(value: string): string[] {
  const list = /^\[(.*)\]$/s.exec(value)
  return splitValues(list?.[1] ?? value)
}

function textTest(collection: Collection, field: Field, value: string): Test {
  const operator = /^(?:!=|=|!)?/.exec(value)?.[0] ?? ''
  const wanted = operands(value.slice(operator.length).trim())
    .map((text) => collection.words(field, text))
    .filter((words) => words.length > 0)
  if (wanted.length === 0)
    throw new RequestFailure(400, `Error with filter field \`${field.name}\`: Filter value cannot be empty.`)
  const exact = operator.includes('=')
  const fits = (text: unknown) => {
    const words = collection.words(field, String(text))
    return wanted.some((asked) =>
      exact
        ? words.length === asked.length && asked.every((word, at) => words[at] === word)
        : asked.every((word) => words.includes(word)),
    )
  }
  return test(field, fits, operator.startsWith('!'))
}

function boolTest(field: Field, value: string): Test {
  const wanted = operands(value.replace(/^!?=/, '').trim())
  if (wanted.some((one) => one !== 'true' && one !== 'false'))
    throw new RequestFailure(400, `Value of filter field \`${field.name}\`: must be \`true\` or \`false\`.`)
  return test(field, (held) => wanted.includes(String(held)), value.startsWith('!'))
}

function numberTest(field: Field, value: string): Test {
  const negated = value.startsWith('!')
  const list = /^!?=?\s*\[(.*)\]$/s.exec(value)
  const tests = (list?.[1]?.split(',') ?? [value.replace(/^!=?/, '')]).map((one) =>
    comparison(field, one.trim()),
  )
  return test(field, (held) => tests.some((holds) => holds(held as number)), negated)
}

function comparison(field: Field, text: string): (held: number) => boolean {
  const range = /^(-?[\d.]+?)\.\.(-?[\d.]+)$/.exec(text)
  if (range !== null) return (held) => held >= Number(range[1]) && held <= Number(range[2])
  const operator = /^(?:<=|>=|<|>|=)?/.exec(text)?.[0] ?? ''
  const number = text.slice(operator.length).trim()
  const pattern = field.type.startsWith('float') ? /^-?\d+(?:\.\d+)?$/ : /^-?\d+$/
  if (!pattern.test(number))
    throw new RequestFailure(
      400,
      `Error with filter field \`${field.name}\`: Not ${field.type.startsWith('int') ? 'an' : 'a'} ${field.type.replace('[]', '')}.`,
    )
  const limit = Number(number)
  if (operator === '<=') return (held) => held <= limit
  if (operator === '>=') return (held) => held >= limit
  if (operator === '<') return (held) => held < limit
  if (operator === '>') return (held) => held > limit
  return (held) => held === limit
}

/** A document without the field satisfies only a negation. */
function test(field: Field, fits: (value: unknown) => boolean, negated: boolean): Test {
  return ({ document }) => {
    const value = document[field.name]
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
    return values.some(fits) !== negated
  }
}

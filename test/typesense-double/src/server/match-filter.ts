import type { Collection, Stored } from './collection.ts'
import { type Field, isText } from './field.ts'
import { type FilterTree, parseFilter, splitValues } from './parse-filter.ts'
import { RequestFailure } from './reply.ts'

type Test = (stored: Stored) => boolean

/** The documents that a search may find. */
export interface Allowed {
  passes(stored: Stored): boolean
  /**
   * All of them in order of arrival. Computed on first use, as most searches only test the documents that
   * their words found.
   */
  readonly all: readonly Stored[]
}

/** The documents that a filter admits; all for an empty filter. */
export function filtered(collection: Collection, filterBy: string): Allowed {
  const tree = parseFilter(filterBy, (condition) => void compile(collection, condition))
  const passes: Test = tree === null ? () => true : compile(collection, tree)
  let all: readonly Stored[] | null = null
  return {
    passes,
    get all() {
      all ??= candidates(collection, tree).filter(passes)
      return all
    },
  }
}

/** The documents that may pass the filter, in order of arrival: as few as the word index can tell. */
function candidates(collection: Collection, tree: FilterTree | null): Stored[] {
  const postings = tree === null ? null : indexed(collection, tree)
  if (postings === null)
    return [...collection.documents.values()].toSorted((left, right) => left.seq - right.seq)
  const seqs = new Set(postings.flatMap((posting) => [...posting.keys()]))
  return [...seqs].toSorted((left, right) => left - right).flatMap((seq) => collection.bySeq(seq) ?? [])
}

type Posting = ReadonlyMap<number, unknown>

/** The postings of one word of each wanted value, by `seq`; null if the index cannot tell. */
function indexed(collection: Collection, tree: FilterTree): readonly Posting[] | null {
  if (tree.type !== 'condition') {
    const [left, right] = [indexed(collection, tree.left), indexed(collection, tree.right)]
    if (tree.type === 'or') return left === null || right === null ? null : [...left, ...right]
    if (left === null || right === null) return left ?? right
    return total(left) < total(right) ? left : right
  }
  const field = collection.field(tree.field)
  if (field === undefined || !isText(field) || !field.index || tree.value.startsWith('!')) return null
  const index = collection.index(field.name)
  return operands(tree.value.replace(/^=/, '').trim()).flatMap((value) => {
    const [word] = collection.words(field, value)
    return (word === undefined ? undefined : index.get(word)) ?? []
  })
}

const total = (postings: readonly Posting[]) => postings.reduce((sum, { size }) => sum + size, 0)

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
  if (field !== undefined && field.num_dim !== undefined)
    throw new RequestFailure(400, `Cannot filter on vector field \`${field.name}\`.`)
  if (field === undefined)
    throw new RequestFailure(400, `Could not find a filter field named \`${tree.field}\` in the schema.`)
  if (isText(field)) return textTest(collection, field, tree.value)
  return field.type.startsWith('bool') ? boolTest(field, tree.value) : numberTest(field, tree.value)
}

/** The values of an expression without their backticks: one, or those of a list in brackets. */
function operands(value: string): string[] {
  const list = /^\[(.*)\]$/s.exec(value)
  return splitValues(list?.[1] ?? value)
}

function textTest(collection: Collection, field: Field, value: string): Test {
  const operator = /^(?:!=|=|!)?/.exec(value)?.[0] ?? ''
  const wanted = operands(value.slice(operator.length).trim())
    .map((text) => collection.words(field, text))
    .filter((words) => words.length > 0)
  if (wanted.length === 0 && !/^\[\s*\]$/.test(value.slice(operator.length).trim()))
    throw new RequestFailure(400, `Error with filter field \`${field.name}\`: Filter value cannot be empty.`)
  const exact = operator.includes('=')
  // There are many documents but few different projects, kinds and contexts.
  const known = new Map<unknown, boolean>()
  const fits = (text: unknown) => {
    let fit = known.get(text)
    if (fit === undefined) {
      const words = collection.words(field, String(text))
      fit = wanted.some((asked) =>
        exact
          ? words.length === asked.length && asked.every((word, at) => words[at] === word)
          : asked.every((word) => words.includes(word)),
      )
      known.set(text, fit)
    }
    return fit
  }
  return test(field, fits, operator.startsWith('!'))
}

function boolTest(field: Field, value: string): Test {
  if (value.replace(/^!?=?/, '').trim() === '')
    throw new RequestFailure(400, `Error with filter field \`${field.name}\`: Filter value cannot be empty.`)
  const wanted = operands(value.replace(/^!?=/, '').trim())
  if (wanted.some((one) => one !== 'true' && one !== 'false'))
    throw new RequestFailure(400, `Value of filter field \`${field.name}\` must be \`true\` or \`false\`.`)
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
  if (operator.replace('=', '') === '' && !NUMBER.test(text.slice(operator.length).trim()))
    throw new RequestFailure(
      400,
      `Error with filter field \`${field.name}\`: Numerical field has an invalid comparator.`,
    )
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

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/

/** A document without the field matches only a negation. */
function test(field: Field, fits: (value: unknown) => boolean, negated: boolean): Test {
  return ({ document }) => {
    const value = document[field.name]
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
    return values.some(fits) !== negated
  }
}

import type { Alternative, Demands, ParsedQuery } from './query.ts'
import { type Term, type Token, tokens } from './tokens.ts'

/**
 * Words and phrases that a query may demand or exclude. Each is looked for in every candidate: 819 of them, in 4 KB, took 10 s on
 * the embedded database, during which it serves nobody else.
 */
export const DEMANDED_MOST = 8
/** Characters of each. */
export const DEMANDED_CHARACTERS = 256

/**
 * Parses a search query.
 *
 * | written | means |
 * |---|---|
 * | `red car` | both words rank; neither is required |
 * | `"red car"` | required: the words next to each other in this order; `"red"` requires one word |
 * | `-red`, `-"red car"`, `NOT red` | no hit contains it |
 * | `compile with -static`, `curl -k`, `-Xmx512m` | a flag of a command line is a word like any other |
 * | `red AND car` | both are required |
 * | `"red car" OR "blue car"` | one of the two is required |
 * | `apple OR "red car"` | the word or the phrase is required |
 * | `cats OR dogs` | the same as `cats dogs`: words are optional anyway |
 * | `(cats OR dogs) AND food`, `NOT (cats OR dogs)` | parentheses group, in a query with an operator |
 * | `What is "Little Women" about?` | nothing is required: in a question, quotes enclose a title |
 *
 * Operators are upper case. NOT binds tightest, then AND, then OR; each joins what stands next to it: in `big
 * apple OR "red car"` the word `big` only ranks. An operand of AND and NOT that is a group of bare words, or of
 * words joined by OR, means any of them.
 *
 * Everything else is tolerated. An operator with nothing beside it joins nothing, nor does OR beside an
 * exclusion. Quotes and parentheses without a partner, and a hyphen that excludes nothing, are ignored. Beyond
 * `DEMANDED_MOST`, and if they are longer than `DEMANDED_CHARACTERS`, what would be demanded or excluded is words, which
 * `tooMany` counts. There are no errors, and the time is linear in the length.
 *
 * ```ts
 * parseQuery('login "red car" -blue')
 * // { wanted: 'login red car',
 * //   required: [[{ type: 'phrase', text: 'red car' }]],
 * //   excluded: [{ type: 'word', text: 'blue' }] }
 * ```
 */
export function parseQuery(text: string): ParsedQuery {
  const wanted: string[] = []
  const clauses = readClauses({
    list: [...tokens(text)],
    at: 0,
    depth: 0,
    wanted: (word) => wanted.push(word),
  })
  // Quotes in a question enclose titles: as requirements they lost more evidence than they found
  // (`docs/measurements.md#quotes-in-questions`).
  const phrasesDemand = !text.trimEnd().endsWith('?')
  const within = withinLimits(clauses.map((clause) => demandsOfClause(clause, phrasesDemand)))
  return {
    wanted: [...wanted, ...within.words].join(' '),
    required: within.required,
    excluded: within.excluded,
    ...(within.tooMany > 0 && { tooMany: within.tooMany }),
  }
}

/** Takes demands in the order of the query, each whole, until they are too many. @returns also the words of exclusions left over */
function withinLimits(all: readonly Demands[]): Demands & { words: string[]; tooMany: number } {
  const words: string[] = []
  let demanded = 0
  let tooMany = 0
  const fits = (terms: readonly Term[]): boolean => {
    const isFit =
      demanded + terms.length <= DEMANDED_MOST &&
      terms.every(({ text }) => text.length <= DEMANDED_CHARACTERS)
    if (isFit) demanded += terms.length
    else tooMany += terms.length
    return isFit
  }
  const seen = new Set<string>()
  // Demanded twice is demanded once: `{"a":` again and again is one phrase to look for.
  const isNew = (demand: unknown): boolean => {
    const before = seen.size
    return seen.add(JSON.stringify(demand)).size > before
  }
  const parts = all.map(({ required, excluded }) => ({
    required: required.filter((entry) => isNew(entry) && fits(entry.flatMap(termsOf))),
    excluded: excluded.filter((one) => {
      if (!isNew({ not: one })) return false
      const terms = termsOf(one)
      const isFit = fits(terms)
      if (!isFit) words.push(...terms.map(({ text }) => text))
      return isFit
    }),
  }))
  return {
    required: parts.flatMap(({ required }) => required),
    excluded: parts.flatMap(({ excluded }) => excluded),
    words,
    tooMany,
  }
}

const termsOf = (one: Alternative): readonly Term[] =>
  one.type === 'group' ? [...one.required.flat(), ...one.excluded].flatMap(termsOf) : [one]

/** What OR joins: each is what AND joins. */
type Clause = readonly Conjunction[]
/** What AND joins. One operand without AND is not demanded if it is a word. */
type Conjunction = readonly Operand[]
/** A clause that is being read. */
type OpenClause = Operand[][]

interface Operand {
  readonly excluded: boolean
  readonly what:
    | Extract<Token, { type: 'term' }>['term']
    | { readonly type: 'clauses'; readonly clauses: readonly Clause[] }
}

interface Reader {
  readonly list: readonly Token[]
  at: number
  depth: number
  /** Takes a word that may match. */
  readonly wanted: (text: string) => void
}

/** Parentheses in parentheses, at most; deeper ones are ignored. Nobody writes more than three. */
const DEEPEST = 16

/** Reads until the end, or the parenthesis that closes. */
function readClauses(reader: Reader, wants = true): Clause[] {
  const clauses: OpenClause[] = []
  /** What the operator before the next operand joins it to. */
  let joins: 'or' | 'and' | null = null
  for (;;) {
    const token = reader.list[reader.at]
    if (token === undefined) return clauses
    if (token.type === 'close') {
      if (reader.depth > 0) return clauses
      reader.at++
    } else if (token.type === 'or' || token.type === 'and') {
      joins = token.type
      reader.at++
    } else {
      const operand = readOperand(reader, wants)
      if (operand === null) continue
      join(clauses, operand, joins)
      joins = null
    }
  }
}

/** Adds an operand. An exclusion is joined to nothing but AND's other operand. */
function join(clauses: OpenClause[], operand: Operand, joins: 'or' | 'and' | null): void {
  const clause = clauses.at(-1)
  const before = clause?.at(-1)
  const joinsOr = !operand.excluded && before?.some(({ excluded }) => !excluded) === true
  if (joins === 'and' && before !== undefined) before.push(operand)
  else if (joins === 'or' && clause !== undefined && joinsOr) clause.push([operand])
  else clauses.push([[operand]])
}

/** @returns null if what follows is no operand: a NOT before nothing, or empty parentheses */
function readOperand(reader: Reader, wants: boolean): Operand | null {
  let excluded = false
  for (; reader.list[reader.at]?.type === 'not'; reader.at++) excluded = !excluded
  const token = reader.list[reader.at]
  if (token?.type === 'term') {
    reader.at++
    if (wants && !excluded) reader.wanted(token.term.text)
    return { excluded, what: token.term }
  }
  if (token?.type !== 'open') return null
  reader.at++
  if (reader.depth === DEEPEST) return null
  reader.depth++
  const clauses = readClauses(reader, wants && !excluded)
  reader.depth--
  if (reader.list[reader.at]?.type === 'close') reader.at++
  return clauses.length === 0 ? null : { excluded, what: { type: 'clauses', clauses } }
}

/** @param phrasesDemand whether a phrase is required by itself */
function demandsOf(clauses: readonly Clause[], phrasesDemand: boolean): Demands {
  const all = clauses.map((clause) => demandsOfClause(clause, phrasesDemand))
  return {
    required: all.flatMap(({ required }) => required),
    excluded: all.flatMap(({ excluded }) => excluded),
  }
}

function demandsOfClause(clause: Clause, phrasesDemand: boolean): Demands {
  const [first = []] = clause
  if (clause.length === 1) return demandsOfConjunction(first, phrasesDemand)
  // A clause of words alone is not required.
  if (!clause.some((one) => demandsSomething(one, phrasesDemand))) return NOTHING
  return { required: [clause.map(alternativeOf)], excluded: [] }
}

function demandsOfConjunction(operands: Conjunction, phrasesDemand: boolean): Demands {
  if (operands.length > 1) return forced(operands)
  const [{ excluded, what } = NO_OPERAND] = operands
  if (excluded) return { required: [], excluded: alternativesOf(what) }
  if (what.type === 'clauses') return demandsOf(what.clauses, phrasesDemand)
  return what.type === 'phrase' && phrasesDemand ? { required: [[what]], excluded: [] } : NOTHING
}

const NOTHING: Demands = { required: [], excluded: [] }
const NO_OPERAND: Operand = { excluded: false, what: { type: 'clauses', clauses: [] } }

const demandsSomething = (operands: Conjunction, phrasesDemand: boolean): boolean => {
  const { required, excluded } = demandsOfConjunction(operands, phrasesDemand)
  return required.length + excluded.length > 0
}

/** The operands of an AND: all of them are demanded. */
function forced(operands: Conjunction): Demands {
  return {
    required: operands.flatMap(({ excluded, what }) => (excluded ? [] : requiredBy(what))),
    excluded: operands.flatMap(({ excluded, what }) => (excluded ? alternativesOf(what) : [])),
  }
}

/** What must hold for an operand to hold. */
function requiredBy(what: Operand['what']): Demands['required'] {
  if (what.type !== 'clauses') return [[what]]
  return [alternativesOf(what)]
}

/** An operand holds if one of these does. */
function alternativesOf(what: Operand['what']): Alternative[] {
  if (what.type !== 'clauses') return [what]
  const demands = demandsOf(what.clauses, true)
  if (demands.required.length + demands.excluded.length > 0) return flat(demands)
  return what.clauses.flatMap((clause) => clause.map(alternativeOf))
}

/** One alternative of an OR. */
function alternativeOf(operands: Conjunction): Alternative {
  const [first = NO_OPERAND] = operands
  const demands = operands.length > 1 ? forced(operands) : { required: requiredBy(first.what), excluded: [] }
  const alternatives = flat(demands)
  const [only] = alternatives
  return alternatives.length === 1 && only !== undefined
    ? only
    : { type: 'group', required: [alternatives], excluded: [] }
}

/** Without a group, where one entry says it all. */
function flat(demands: Demands): Alternative[] {
  const [only, ...others] = demands.required
  return only !== undefined && others.length === 0 && demands.excluded.length === 0
    ? [...only]
    : [{ type: 'group', ...demands }]
}

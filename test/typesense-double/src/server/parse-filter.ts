import { RequestFailure } from './reply.ts'

/** A filter as a tree. A `condition` is one `field:value`. */
export type FilterTree =
  | { readonly type: 'and' | 'or'; readonly left: FilterTree; readonly right: FilterTree }
  | Condition

/** One `field:value`, both as written. */
export interface Condition {
  readonly type: 'condition'
  readonly field: string
  readonly value: string
}

/**
 * Parses `filter_by` as the real server does. Backticks switch quoting on and off. `&&` and `||` have the
 * same precedence and associate to the left: `a || b && c` is `(a || b) && c`. Errors are found in the
 * server's order: parentheses first, then conditions and operators in order of evaluation.
 * @param check called with each condition
 * @throws RequestFailure
 */
export function parseFilter(text: string, check: (condition: Condition) => void): FilterTree | null {
  const tokens = filterTokens(text)
  if (tokens.length === 0) return null
  const operands: FilterTree[] = []
  for (const token of postfix(tokens)) {
    if (token !== '&&' && token !== '||') {
      const one = condition(token)
      check(one)
      operands.push(one)
      continue
    }
    const right = operands.pop()
    const left = operands.pop()
    if (left === undefined || right === undefined)
      throw new RequestFailure(400, `Could not parse the filter query: unbalanced \`${token}\` operands.`)
    operands.push({ type: token === '&&' ? 'and' : 'or', left, right })
  }
  const tree = operands.pop()
  if (tree === undefined) throw new RequestFailure(400, 'Filter query cannot be empty.')
  if (operands.length > 0) throw new RequestFailure(400, 'Could not parse the filter query.')
  return tree
}

/** The tokens in postfix order: each operator after its operands. */
function postfix(tokens: readonly string[]): string[] {
  const ordered: string[] = []
  const waiting: string[] = []
  const flush = () => {
    while (waiting.length > 0 && waiting.at(-1) !== '(') ordered.push(waiting.pop() ?? '')
  }
  const unbalanced = () =>
    new RequestFailure(400, 'Could not parse the filter query: unbalanced parentheses.')
  for (const token of tokens) {
    if (token === '(') waiting.push(token)
    else if (token === ')') {
      flush()
      if (waiting.pop() !== '(') throw unbalanced()
    } else if (token === '&&' || token === '||') {
      flush()
      waiting.push(token)
    } else ordered.push(token)
  }
  if (waiting.includes('(')) throw unbalanced()
  flush()
  return ordered
}

function filterTokens(text: string): string[] {
  const tokens: string[] = []
  let index = 0
  while (index < text.length) {
    const character = text[index]
    const two = text.slice(index, index + 2)
    if (character === ' ') index++
    else if (character === '(' || character === ')') {
      tokens.push(character)
      index++
    } else if (two === '&&' || two === '||') {
      tokens.push(two)
      index += 2
    } else {
      const end = conditionEnd(text, index)
      tokens.push(text.slice(index, end).trim())
      index = end
    }
  }
  return tokens
}

function conditionEnd(text: string, from: number): number {
  let quoted = false
  for (let index = from; index < text.length; index++) {
    const character = text[index] ?? ''
    const two = text.slice(index, index + 2)
    if (character === '`') quoted = !quoted
    else if (!quoted && ('()'.includes(character) || two === '&&' || two === '||')) return index
  }
  return text.length
}

function condition(token: string): Condition {
  const colon = token.indexOf(':')
  if (colon === -1) throw new RequestFailure(400, 'Could not parse the filter query.')
  return {
    type: 'condition',
    field: token.slice(0, colon).trim(),
    value: token.slice(colon + 1).trim(),
  }
}

/** Splits a list at commas outside backticks. A backtick after a backslash belongs to the value. */
export function splitValues(list: string): string[] {
  const values: string[] = []
  let value = ''
  let quoted = false
  for (let index = 0; index < list.length; index++) {
    const character = list[index] ?? ''
    if (character === '`' && list[index - 1] !== '\\') quoted = !(quoted && value !== '')
    else if (character === ',' && !quoted) {
      values.push(value.trim())
      value = ''
    } else value += character
  }
  if (value !== '') values.push(value.trim())
  return values
}

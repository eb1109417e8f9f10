import { RequestFailure } from './reply.ts'

/** A filter as a tree; `condition` is one `field:value`. */
export type FilterTree =
  | { readonly type: 'and' | 'or'; readonly left: FilterTree; readonly right: FilterTree }
  | { readonly type: 'condition'; readonly field: string; readonly value: string }

/**
 * Reads `filter_by` as the real server does: backticks switch quoting on and off, and between conditions `&&` and `||` have
 * the same precedence and bind to the left, so `a || b && c` is `(a || b) && c`.
 * @throws RequestFailure
 */
export function parseFilter(text: string): FilterTree | null {
  const tokens = filterTokens(text)
  if (tokens.length === 0) return null
  const operands: FilterTree[] = []
  const operators: string[] = []
  const reduce = () => {
    const operator = operators.pop()
    const right = operands.pop()
    const left = operands.pop()
    if (left === undefined || right === undefined)
      throw new RequestFailure(400, `Could not parse the filter query: unbalanced \`${operator}\` operands.`)
    operands.push({ type: operator === '&&' ? 'and' : 'or', left, right })
  }
  const unbalanced = () =>
    new RequestFailure(400, 'Could not parse the filter query: unbalanced parentheses.')
  for (const token of tokens) {
    if (token === '(') operators.push(token)
    else if (token === ')') {
      while (operators.length > 0 && operators.at(-1) !== '(') reduce()
      if (operators.pop() !== '(') throw unbalanced()
    } else if (token === '&&' || token === '||') {
      while (operators.length > 0 && operators.at(-1) !== '(') reduce()
      operators.push(token)
    } else operands.push(condition(token))
  }
  // An open parenthesis is told before missing operands, as recorded.
  if (operators.includes('(')) throw unbalanced()
  while (operators.length > 0) reduce()
  const tree = operands.pop()
  if (tree === undefined || operands.length > 0)
    throw new RequestFailure(400, 'Could not parse the filter query.')
  return tree
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

function condition(token: string): FilterTree {
  const colon = token.indexOf(':')
  if (colon === -1) throw new RequestFailure(400, 'Could not parse the filter query.')
  return {
    type: 'condition',
    field: token.slice(0, colon).trim(),
    value: token.slice(colon + 1).trim(),
  }
}

/** The values of a list, cut at commas outside backticks. A backtick after a backslash is a character of the value. */
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

import type { InputOf } from '@daybook/api/graphql'
import { InvalidArgumentError } from 'commander'

type Weights = InputOf<'RankingWeights'>

/** The weights by their names in the API, and what each may be at most. */
const MOST: Readonly<Record<keyof Weights, number>> = {
  decay: 10,
  importance: 10,
  recency: 10,
  lexical: 1,
  vector: 1,
  neighbour: 1,
  session: 1,
}
const isName = (name: string): name is keyof Weights => Object.hasOwn(MOST, name)

/** An option parser for `decay=1`; it may be given several times. */
export function weight(value: string, others: Weights = {}): Weights {
  const [name = '', number = ''] = value.split('=')
  if (!isName(name) || number.trim() === '')
    throw new InvalidArgumentError(
      `It must be a name and a number, such as decay=1. Names: ${Object.keys(MOST).join(', ')}.`,
    )
  if (!(Number(number) >= 0 && Number(number) <= MOST[name]))
    throw new InvalidArgumentError(`The weight ${name} must be a number from 0 to ${MOST[name]}.`)
  return { ...others, [name]: Number(number) }
}

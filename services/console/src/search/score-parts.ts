import type { Explanation } from '@daybook/client/documents/memory'

/** A part of a score. */
export interface ScorePart {
  /** In words. */
  readonly name: string
  /** How it came about, with the formula's numbers: `0.92 × 4.1`. */
  readonly formula: string
  /** What it adds to the sum; negative parts take away. */
  readonly contribution: number
  /** 1 to 6: its colour in the bar. */
  readonly series: number
}

/** A score with its parts, and how they make it. */
export interface ScoreParts {
  readonly parts: readonly ScorePart[]
  /** How the sum becomes the score: `1 / (1 + e^−2.31) = 0.91`. */
  readonly result: string
}

const TERMS: Readonly<Record<Explanation['terms'][number]['name'], readonly [name: string, series: number]>> =
  {
    OWN: ['its own words and meaning', 1],
    NEAR: ['with its neighbours', 3],
    SESSION: ['best of its context', 4],
    WORDS: ['words', 2],
    VECTOR: ['meaning of the whole', 5],
    SPEAKER: ['a named person speaks', 2],
    TIME: ['near the named time', 2],
    LENGTH: ['its length', 6],
    POOL: ['how many could match', 6],
    BASE: ['the same for every hit', 6],
  }

const RETRIEVERS: Readonly<Record<string, readonly [name: string, series: number]>> = {
  LEXICAL: ['words', 1],
  VECTOR: ['meaning', 2],
}

const PRIORS: Readonly<Record<Explanation['priors'][number]['name'], string>> = {
  DECAY: 'last used',
  IMPORTANCE: 'importance',
  RECENCY: 'how recent',
  SUCCESSION: 'newer or older than another of the same thing',
}

/** Names the parts of a score as the API explains it. Where tokens were compared they are log-odds; else they add up. */
export function scoreParts(explanation: Explanation): ScoreParts {
  const parts = explanation.terms.length > 0 ? termsOf(explanation) : sumsOf(explanation)
  const priors = explanation.priors.map(({ name, value, weight, contribution }) => ({
    name: PRIORS[name],
    formula: product(value, weight),
    contribution,
    series: 6,
  }))
  return { parts: [...parts, ...priors], result: resultOf(explanation) }
}

function termsOf({ terms }: Explanation): ScorePart[] {
  return terms
    .filter(({ contribution }) => contribution !== 0)
    .map(({ name, value, weight, contribution }) => {
      const [words, series] = TERMS[name]
      return { name: words, formula: product(value, weight), contribution, series }
    })
}

function sumsOf(explanation: Explanation): ScorePart[] {
  const { retrievers, neighbours, missingNeighbours, session } = explanation
  const around = neighbours.reduce((sum, { contribution }) => sum + contribution, 0)
  return [
    ...retrievers.map(({ retriever, rank, normalisedScore, weight, contribution }) => {
      const [words, series] = RETRIEVERS[retriever] ?? [retriever.toLowerCase(), 5]
      return {
        name: words,
        formula: `${product(normalisedScore, weight)}, rank ${rank}`,
        contribution,
        series,
      }
    }),
    {
      name: 'neighbours in its context',
      formula: `${neighbours.length} of them`,
      contribution: around,
      series: 3,
    },
    { name: 'instead of missing neighbours', formula: '', contribution: missingNeighbours, series: 6 },
    { name: 'best of its context', formula: '', contribution: session?.contribution ?? 0, series: 4 },
  ].filter(({ contribution }) => contribution !== 0)
}

function resultOf({ terms, priors, score, scale, method }: Explanation): string {
  const sum = [...terms, ...(terms.length > 0 ? priors : [])].reduce(
    (all, { contribution }) => all + contribution,
    0,
  )
  if (terms.length > 0) return `1 / (1 + e^${number(-sum)}) = ${number(score)}`
  const moved = priors.length > 0 ? ', moved by what is known before any question,' : ''
  return method === 'RRF'
    ? `sum of weight × 61 / (60 + rank)${moved} = ${number(score)}`
    : `sum × ${number(scale)}${moved} = ${number(score)}`
}

const product = (value: number, weight: number): string => `${number(value)} × ${number(weight)}`

/** Three significant digits are what a reader can compare. */
export const number = (value: number): string =>
  value.toLocaleString(undefined, { maximumSignificantDigits: 3 })

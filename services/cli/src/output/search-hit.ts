import type { Explanation, SearchHit } from '../search/search-document.ts'
import { age } from './age.ts'
import type { Painter } from './paint.ts'
import { safeLine } from './safe-text.ts'
import { renderSnippet } from './snippet.ts'
import { spoken } from './spoken.ts'

const rounded = (score: number) => score.toFixed(3)

/**
 * A hit in a few lines:
 *
 *   1. jwt-validation
 *      Always validate JWT expiration before trusting claims
 *      insight · score 0.736 · 2 minutes ago · #security
 *      insight:0192f0c1-…
 */
export function renderHit(
  place: number,
  { memory, score, snippet, explanation }: SearchHit,
  paint: Painter,
  now: number,
): string {
  const number = `${place}.`
  const indent = ' '.repeat(number.length + 1)
  const facts = [
    safeLine(memory.kind.toLowerCase()),
    `score ${score.toFixed(3)}`,
    age(memory.occurredAt ?? memory.createdAt, now),
    ...(memory.context === null ? [] : [`in ${safeLine(memory.context)}`]),
    ...memory.labels.map((label) => `#${safeLine(label)}`),
    ...(memory.forgottenAt === null ? [] : ['forgotten']),
  ]
  const lines = [
    `${paint.bold(safeLine(memory.title))}`,
    renderSnippet(snippet, paint),
    paint.dim(facts.join(' · ')),
    paint.dim(safeLine(memory.id)),
    ...(explanation === undefined ? [] : renderExplanation(explanation, score)),
  ]
  return `${number} ${lines.join(`\n${indent}`)}`
}

function renderExplanation(explanation: Explanation, score: number): string[] {
  const { method, retrievers, neighbours, session, scale, ownScore, missingNeighbours, generation, model } =
    explanation
  const made = `  generation ${generation}, ${model === null ? 'no vectors compared' : `model ${safeLine(model)}`}`
  if (explanation.terms.length > 0) return [...renderTerms(explanation.terms, score), made]
  const near = neighbours.reduce((sum, { contribution }) => sum + contribution, 0)
  return [
    `why: ${rounded(score)} = ${rounded(scale)} × (own ${rounded(ownScore)} + neighbours ${rounded(near + missingNeighbours)} + session ${rounded(session?.contribution ?? 0)}), by ${safeLine(method)}`,
    ...retrievers.map(
      ({ retriever, rank, rawScore, normalisedScore, weight, contribution }) =>
        `  ${spoken(retriever)}: rank ${rank}, raw ${rounded(rawScore)}, ${rounded(weight)} × ${rounded(normalisedScore)} = ${rounded(contribution)}`,
    ),
    made,
  ]
}

/** The terms of late interaction, which add up to the score's log-odds. Those that count nothing are left out. */
function renderTerms(terms: Explanation['terms'], score: number): string[] {
  const logOdds = terms.reduce((sum, { contribution }) => sum + contribution, 0)
  return [
    `why: ${rounded(score)} = 1 / (1 + e^−x), x = ${rounded(logOdds)}, the sum of`,
    ...terms
      .filter(({ contribution }) => contribution !== 0)
      .map(
        ({ name, value, weight, contribution }) =>
          `  ${spoken(name)}: ${rounded(value)} × ${rounded(weight)} = ${rounded(contribution)}`,
      ),
  ]
}

import { safeLine, safeText } from '@daybook/memory/safe-text'
import type { AskEventOf } from './ask-document.ts'

/** What stands below an answer: the memories that it cites, and what speaks against it. */
export function renderSources({ citations, unknownCitations, check }: AskEventOf<'AskAnswer'>): string {
  const cited = citations.map(
    ({ number, memory }) => `  [${number}] ${safeLine(memory.title)}  ${safeLine(memory.id)}`,
  )
  return [
    ...(cited.length === 0 ? ['It cites no memory.'] : ['It rests on:', ...cited]),
    ...(unknownCitations.length === 0
      ? []
      : [`It cites what no memory has: ${unknownCitations.map((number) => `[${number}]`).join(' ')}`]),
    ...(check === null ? [] : [verdict(check)]),
  ].join('\n')
}

function verdict({ passed, text }: NonNullable<AskEventOf<'AskAnswer'>['check']>): string {
  if (passed === true) return 'Its check found nothing wrong. Run it before you trust it.'
  return `${passed === null ? 'Its check gave no verdict:' : 'Its check found:'}\n${safeText(text)}`
}

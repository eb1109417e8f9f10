import { graphql } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import type { Receipts } from '../receipts.ts'
import type { Answer } from '../tools/tool.ts'
import { shortMessage } from './shortened.ts'

/** What a write says of the memory. Spread it on the memory of a write's result. */
export const WRITTEN = graphql('fragment WrittenMemory on Memory { id title version }')

/** The outcomes in the order in which they were asked for, each with the memory's id and version, or an error; and the receipt. */
export const WRITTEN_OUTPUT = z.looseObject({
  results: z.array(z.looseObject({ outcome: z.string() })),
  sequence: z.int().optional(),
})

interface Success {
  readonly memory: { readonly id: string; readonly title: string; readonly version: number }
  readonly sequence: number
  readonly duplicate: boolean
  readonly outcome?: string
}

interface Refusal {
  readonly code: string
  readonly message: string
  readonly field?: string | undefined
  readonly currentVersion?: number | null | undefined
}

const isRefused = (result: Success | Refusal): result is Refusal => 'code' in result

/**
 * The answer of a tool that writes several memories. Titles are shown where somebody else may have given them: an agent knows what it
 * stores itself.
 * @param done in the past tense, for the text and the outcome: `remembered`
 * @param titled whether to show the memories' titles
 */
export function writtenAnswer(
  done: string,
  results: readonly (Success | Refusal)[],
  { receipts, titled }: { readonly receipts: Receipts; readonly titled: boolean },
): Answer<z.input<typeof WRITTEN_OUTPUT>> {
  const sequences: number[] = []
  const shown = results.map((result) => {
    if (isRefused(result)) return { outcome: result.code, error: described(result) }
    const { memory, sequence, outcome } = result
    sequences.push(sequence)
    return { id: memory.id, version: memory.version, outcome: (outcome ?? done).toLowerCase() }
  })
  const sequence = sequences.length === 0 ? undefined : Math.max(...sequences)
  if (sequence !== undefined) receipts.note(sequence)
  const lines = results.map((result, at) => {
    const place = results.length === 1 ? '' : `${at + 1}. `
    if (isRefused(result)) return `${place}Refused: ${described(result)}`
    const { memory, duplicate, outcome } = result
    const how = outcome === undefined ? done : outcome.toLowerCase()
    const line = `${place}${how}: ${memory.id} version ${memory.version}${duplicate ? ' (sent before)' : ''}`
    return titled ? `${line}\n  ${safeLine(memory.title)}` : line
  })
  return {
    data: { results: shown, ...(sequence !== undefined && { sequence }) },
    text: [...lines, ...(sequence === undefined ? [] : [`Committed, sequence ${sequence}.`])].join('\n'),
    quotes: titled && sequence !== undefined,
    failed: results.some(isRefused),
  }
}

function described({ code, message, field, currentVersion }: Refusal): string {
  const names = field !== undefined && !message.includes(field) ? `${field} ` : ''
  const version =
    currentVersion == null ? '' : ` It is at version ${currentVersion} now: get it, then decide again.`
  return `${code}: ${names}${shortMessage(message)}${version}`
}

/** An example: what is run, and what must come of it. */
export interface Example {
  readonly language: 'graphql' | 'sh'
  readonly code: string
  /** The block after it: JSON data for `graphql`, lines for `sh`; null if there is none. */
  readonly expected: string | null
  /** Where it begins in the page, from 1. */
  readonly line: number
}

/** A section of a page: a heading of the second level, and what stands below it. */
export interface Section {
  readonly heading: string
  readonly text: string
  readonly examples: readonly Example[]
}

const BLOCK = /^```(\w+)\n([^]*?)^```$/gmu

/**
 * Takes a page in Markdown apart. What stands above the first heading of the second level is the first section, without a heading.
 * @throws Error if a block `json` or `text` follows no block that it could belong to
 */
export function readPage(page: string): readonly Section[] {
  let line = 1
  return page.split(/^(?=## )/mu).map((text) => {
    const firstLine = line
    line += text.split('\n').length - 1
    const heading = /^## (.+)$/mu.exec(text)?.[1] ?? ''
    return { heading, text, examples: examplesOf(text, firstLine) }
  })
}

function examplesOf(text: string, firstLine: number): Example[] {
  const examples: Example[] = []
  for (const { 1: language = '', 2: code = '', index } of text.matchAll(BLOCK)) {
    const line = firstLine + text.slice(0, index).split('\n').length - 1
    const last = examples.at(-1)
    if (language === 'graphql' || language === 'sh') examples.push({ language, code, expected: null, line })
    else if (language === 'json' || language === 'text') {
      const belongs = last?.expected === null && (last.language === 'graphql') === (language === 'json')
      if (!belongs) throw new Error(`the block ${language} in line ${line} belongs to no example`)
      examples[examples.length - 1] = { ...last, expected: code }
    }
  }
  return examples
}

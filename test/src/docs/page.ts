/** An example: what is run, and what must come of it. */
export interface Example {
  readonly language: 'graphql' | 'sh'
  readonly code: string
  /** The block after it: JSON data for `graphql`, lines for `sh`; null if there is none. */
  readonly expected: string | null
  /** Why no test runs it, as its fence says: `not-run="needs a Docker engine"`; null if one does. */
  readonly notRun: string | null
  /** Where it begins in the page, from 1. */
  readonly line: number
}

/** A section of a page: a heading of the second level, and what stands below it. */
export interface Section {
  readonly heading: string
  readonly text: string
  readonly examples: readonly Example[]
}

/** How a page is read. */
export interface PageOptions {
  /** Whether blocks `json` that answer nothing may stand in it. Default: they are refused. */
  readonly otherJson?: boolean
}

const BLOCK = /^```(.*)\n([^]*?)^```$/gmu
const FENCE = /^(?<language>\w*)(?: not-run="(?<reason>[^"`]+)")?$/u
/** Languages whose blocks are run, under names that would hide them from the test, and what commands begin with. */
const HIDDEN = /^(?:bash|shell|console|zsh)$/u
const COMMAND = /^(?:\$ |(?:[A-Z_]+=\S* )*(?:npm|npx|node|daybook|curl|git|docker|kubectl|helm|systemctl) )/mu

/**
 * Takes a page in Markdown apart. What stands above the first heading of the second level is the first section, without a heading.
 * @throws Error if a block `json` or `text` follows no block that it could belong to, a mark has no reason, or commands are not in `sh`
 */
export function readPage(page: string, options: PageOptions = {}): readonly Section[] {
  let line = 1
  return page.split(/^(?=## )/mu).map((text) => {
    const firstLine = line
    line += text.split('\n').length - 1
    const heading = /^## (.+)$/mu.exec(text)?.[1] ?? ''
    return { heading, text, examples: examplesOf(text, firstLine, options) }
  })
}

function examplesOf(text: string, firstLine: number, { otherJson = false }: PageOptions): Example[] {
  const examples: Example[] = []
  for (const { 1: fence = '', 2: code = '', index } of text.matchAll(BLOCK)) {
    const line = firstLine + text.slice(0, index).split('\n').length - 1
    const found = FENCE.exec(fence)?.groups
    if (found === undefined) throw new Error(`the fence in line ${line} says neither a language nor a reason`)
    const { language = '', reason } = found
    if (HIDDEN.test(language) || (language === '' && COMMAND.test(code)))
      throw new Error(`the commands in line ${line} are not in a block sh`)
    const last = examples.at(-1)
    if (language === 'graphql' || language === 'sh')
      examples.push({ language, code, expected: null, notRun: reason ?? null, line })
    else if (language === 'json' || language === 'text') {
      const belongs = last?.expected === null && (last.language === 'graphql') === (language === 'json')
      if (belongs) examples[examples.length - 1] = { ...last, expected: code }
      else if (!otherJson || language === 'text')
        throw new Error(`the block ${language} in line ${line} belongs to no example`)
    }
  }
  return examples
}

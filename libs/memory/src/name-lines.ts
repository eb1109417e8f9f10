import { safeLine } from './safe-text.ts'
import { type MemoryState, textOf } from './state.ts'
import { oneLine } from './text-rules.ts'

/** How much of a text is its name if no line names it, in characters. */
const UNNAMED = 50

/** `name: Ada Lovelace`, also with words before: `Her full name: Ada`. */
const NAME_LINE = /^(?:.*[^\p{L}\p{N}_])?name\s*:(.+)$/imu
const INTEREST_LINE = /^(?:.*[^\p{L}\p{N}_])?(?:interest|hobby)\s*:(.+)$/imu

/** What follows the label in the first such line, else the text's first 50 characters. */
function lineOf(text: string, label: RegExp): string {
  const said = safeLine(label.exec(text)?.[1] ?? '')
  return said === '' ? oneLine(safeLine(text), UNNAMED) : said
}

/** The name of a person that a memory is about: an entity's name, that of a `name:` line, else how it begins. */
export function personName(state: MemoryState): string {
  if (isPersonEntity(state)) return safeLine(String(state.content['name']))
  return lineOf(textOf(state), NAME_LINE)
}

/** The interest that a memory is about: that of an `interest:` or `hobby:` line, else how it begins. */
export const interestName = (state: MemoryState): string => lineOf(textOf(state), INTEREST_LINE)

const isPersonEntity = ({ kind, content }: MemoryState): boolean =>
  kind === 'entity' && String(content['type']).toLowerCase() === 'person'

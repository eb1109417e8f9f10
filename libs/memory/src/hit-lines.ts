import { safeLine } from './safe-text.ts'
import { type MemoryState, textOf } from './state.ts'
import { oneLine } from './text-rules.ts'

/** What is shown of a memory that was found. */
export interface ShownHit {
  /** With the kind in front. */
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly score: number
  /** When it happened, else when it was written. */
  readonly at: string
  readonly labels: readonly string[]
  readonly context: string | null
  readonly forgotten: boolean
  /** Whether it was written with a key of low trust. Default no. */
  readonly lowTrust?: boolean
  /** Whether its newest version has not reached the project's home yet. Default no. */
  readonly unshared?: boolean
  /** The id of the memory that supersedes it, if there is one. */
  readonly supersededBy?: string
  /** The id of the newer memory of the same thing by which it seems superseded, if there is one. */
  readonly seemsSupersededBy?: string
  /** How many other memories were found that say the same. Default none. */
  readonly sameText?: number
  /** Shown where versions were searched; absent or null elsewhere. */
  readonly version?: number | null
  /** The name of its project. Shown where several were searched; absent or null elsewhere. */
  readonly project?: string | null
  /** The kind's own fields. Those of `SHORT_FIELDS` are shown. */
  readonly content: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  /** One line, ready to be shown. */
  readonly snippet: string
}

/** Ways to make parts of a hit stand out. */
interface HitPaint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
}

const PLAIN: HitPaint = { bold: (text) => text, dim: (text) => text }

/** Fields of kinds that say in a word what sort of thing the memory is. */
const SHORT_FIELDS = ['severity', 'status', 'type'] as const

/** Entries of the metadata that are shown, and the length of each value in characters. */
const [SHOWN_ENTRIES, SHOWN_VALUE] = [5, 40]

/**
 * A hit in three lines, for agents and people:
 *
 *   1. [INSIGHT] jwt-validation (0.958) 2 minutes ago [#security, in shop]
 *      Always validate JWT expiration before trusting claims
 *      insight:0192f0c1-…
 *
 * Whatever a memory says is folded into its line, without control characters. So only the number of a hit begins
 * in the first column.
 */
export function hitLines(place: number, hit: ShownHit, now: number, paint: HitPaint = PLAIN): string[] {
  const number = `${place}.`
  const indent = ' '.repeat(number.length + 1)
  const facts = factsOf(hit)
  const rest = [
    `(${hit.score.toFixed(3)})`,
    age(hit.at, now),
    ...(facts.length === 0 ? [] : [`[${facts.join(', ')}]`]),
  ]
  return [
    `${number} [${safeLine(hit.kind.toUpperCase())}] ${paint.bold(safeLine(hit.title))} ${paint.dim(rest.join(' '))}`,
    `${indent}${hit.snippet}`,
    `${indent}${paint.dim(safeLine(hit.id))}`,
  ]
}

function factsOf(hit: ShownHit): string[] {
  const {
    labels,
    context,
    forgotten,
    lowTrust = false,
    unshared = false,
    supersededBy,
    seemsSupersededBy,
    sameText = 0,
    version = null,
    project = null,
    content,
    metadata,
  } = hit
  const fields = SHORT_FIELDS.flatMap((name) => {
    const value = content[name]
    return value == null ? [] : [`${name}: ${shown(value)}`]
  })
  const entries = Object.entries(metadata)
  return [
    ...(project === null ? [] : [`project ${safeLine(project)}`]),
    ...(version === null ? [] : [`version ${version}`]),
    ...labels.map((label) => `#${safeLine(label)}`),
    ...(context === null ? [] : [`in ${safeLine(context)}`]),
    ...fields,
    ...entries
      .slice(0, SHOWN_ENTRIES)
      .map(([name, value]) => `${oneLine(safeLine(name), SHOWN_VALUE)}: ${shown(value)}`),
    ...(entries.length > SHOWN_ENTRIES ? ['…'] : []),
    ...(forgotten ? ['forgotten'] : []),
    ...(lowTrust ? ['low trust'] : []),
    ...(unshared ? ['not shared yet'] : []),
    ...(sameText === 0 ? [] : [sameText === 1 ? 'one more says the same' : `${sameText} more say the same`]),
    ...(supersededBy === undefined ? [] : [`superseded by ${safeLine(supersededBy)}`]),
    ...(seemsSupersededBy === undefined ? [] : [`seems superseded by ${safeLine(seemsSupersededBy)}`]),
  ]
}

const shown = (value: unknown): string =>
  oneLine(safeLine(typeof value === 'string' ? value : JSON.stringify(value)), SHOWN_VALUE)

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

const STEPS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [7, 'day'],
] as const

/** How long ago a moment was, in words; the date if that is more than a week, or lies in the future. */
export function age(moment: string, now: number): string {
  let amount = (now - Date.parse(moment)) / 1000
  // Clocks differ by some seconds, which does not make a memory one from the future.
  if (amount < -60 || Number.isNaN(amount)) return moment.slice(0, 10)
  if (amount < 10) return 'just now'
  for (const [next, unit] of STEPS) {
    if (amount < next) return `${Math.floor(amount)} ${unit}${amount < 2 ? '' : 's'} ago`
    amount /= next
  }
  return moment.slice(0, 10)
}

import { KIND_NAMES, type KindName } from '@daybook/memory/kinds/index'

/** A query that asks for memories of a kind, or of a time, instead of for something in their texts. */
export interface KindQuery {
  /** Null: of any. */
  readonly kind: KindName | null
  /** Which of them: `open` todos and sessions are not resolved or closed, `done` ones are. Null: all. */
  readonly state: 'open' | 'done' | null
  /** What it must be called, for a kind that has a name; null: anything. */
  readonly called: string | null
}

/** Kinds by the words for one and for several. */
const KINDS: ReadonlyMap<string, KindName> = new Map([
  ...KIND_NAMES.flatMap((kind) => [kind, pluralOf(kind)].map((word) => [word, kind] as const)),
  ...['person', 'people'].map((word) => [word, 'entity'] as const),
])

function pluralOf(kind: KindName): string {
  if (kind.endsWith('y')) return `${kind.slice(0, -1)}ies`
  return kind.endsWith('sh') ? `${kind}es` : `${kind}s`
}

const STATES: ReadonlyMap<string, 'open' | 'done'> = new Map([
  ...['open', 'active', 'unresolved', 'unfinished', 'pending'].map((word) => [word, 'open'] as const),
  ...['done', 'closed', 'resolved', 'finished', 'completed'].map((word) => [word, 'done'] as const),
])

/** The kinds of which a memory is open or done. */
const WITH_STATE: ReadonlySet<KindName> = new Set(['todo', 'session'])

/** Words that say nothing about which memories are meant. */
const FILLERS = new Set(
  'a all any are been current do every have i is last latest list me my new newest of our recent recently show still the there us we what which'.split(
    ' ',
  ),
)

/** Further words that say nothing in a question that names a time. */
const TIME_FILLERS = new Set(
  'about after and anything at be before by decide decided did during everything find for from found go going had happen happened happening in it learn learned next noted on out planned remember remembered since that this to until was went were when with'.split(
    ' ',
  ),
)

/** "What do I have to do?", "things to do": open todos. */
const TO_DO = /\b(?:(?:things?|anything|left|still|have|has|need|needs|what) to do|to be done)\b/u

/** "Who is Priya?", "people Priya". */
const WHO = /^(?:who(?:'s|’s| is| was)|people|person|contacts?) (?<name>\p{L}[\p{L}\p{M} .'’-]*)$/iu

/** Nobody names a kind in more words. */
const LONGEST = 80

/**
 * What a query asks for, if it names a kind, a time or somebody, and says nothing else: "todo", "open todos", "what are our
 * decisions?", "decisions of last week", "what happened on 8 May", "who is Priya". English only.
 *
 * @param wanted the query's words
 * @param phrases the times that it names, as it names them
 */
export function kindQuery(wanted: string, phrases: readonly string[] = []): KindQuery | null {
  if (wanted.length > LONGEST) return null
  const { name } = WHO.exec(wanted.replace(/[\s?!.]+$/u, ''))?.groups ?? {}
  if (name !== undefined && !KINDS.has(name.toLowerCase()) && !FILLERS.has(name.toLowerCase()))
    return { kind: 'entity', state: null, called: name }
  const timeless = phrases.reduce((text, phrase) => text.replace(phrase, ' '), wanted)
  const words = timeless
    .toLowerCase()
    .replace(/\bto-?dos?\b/gu, 'todo')
    .replace(TO_DO, 'open todo')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !FILLERS.has(word) && !(phrases.length > 0 && TIME_FILLERS.has(word)))
  const kinds = words.flatMap((word) => KINDS.get(word) ?? [])
  const states = words.flatMap((word) => STATES.get(word) ?? [])
  const [kind = null] = kinds
  const [state = null] = states
  if (kind === null && (phrases.length === 0 || words.length > 0)) return null
  if (kinds.length > 1 || states.length > 1 || words.length > kinds.length + states.length) return null
  if (state !== null && (kind === null || !WITH_STATE.has(kind))) return null
  return { kind, state, called: null }
}

import { KIND_NAMES, type KindName } from '@daybook/memory/kinds/index'

/** A query that asks for a kind of memory instead of for something in their texts. */
export interface KindQuery {
  readonly kind: KindName
  /** Which of them: `open` todos and sessions are not resolved or closed, `done` ones are. Null: all. */
  readonly state: 'open' | 'done' | null
}

/** Kinds by the words for one and for several. */
const KINDS: ReadonlyMap<string, KindName> = new Map(
  KIND_NAMES.flatMap((kind) => [kind, pluralOf(kind)].map((word) => [word, kind] as const)),
)

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

/** Nobody names a kind in more words. */
const LONGEST = 60

/**
 * The kind that a query names, if it says nothing else: "todo", "open todos", "what are our decisions?". English
 * only.
 *
 * @param wanted the query's words
 */
export function kindQuery(wanted: string): KindQuery | null {
  if (wanted.length > LONGEST) return null
  const words = wanted
    .toLowerCase()
    .replace(/\bto-?dos?\b/gu, 'todo')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !FILLERS.has(word))
  const kinds = words.flatMap((word) => KINDS.get(word) ?? [])
  const states = words.flatMap((word) => STATES.get(word) ?? [])
  const [kind] = kinds
  const [state = null] = states
  if (kind === undefined || kinds.length > 1 || states.length > 1) return null
  if (words.length > 1 + states.length || (state !== null && !WITH_STATE.has(kind))) return null
  return { kind, state }
}

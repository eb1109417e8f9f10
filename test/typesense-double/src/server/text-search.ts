import type { Collection } from './collection.ts'
import { editDistance } from './edit-distance.ts'
import { type Field, isText } from './field.ts'
import type { Allowed } from './match-filter.ts'
import { RequestFailure } from './reply.ts'
import type { SearchParams } from './search-params.ts'
import { type FieldMatch, type Leaf, type TextScore, textScore } from './text-score.ts'

/** A document found by words. */
export interface TextHit {
  readonly text: TextScore
  /** The number of the query's words that this document did not have to contain. */
  readonly dropped: number
  readonly matches: readonly FieldMatch[]
}

/** An indexed word of one field that matches a word of the query. */
interface FieldLeaf extends Leaf {
  readonly fieldAt: number
}

/**
 * The matches of one word of the query. `levels[n]` has those with the n-th smallest number of typos that
 * matches anything.
 */
interface Candidates {
  readonly at: number
  readonly levels: readonly (readonly FieldLeaf[])[]
}

/** What a text search works on. */
interface Scope {
  readonly collection: Collection
  readonly fields: readonly Field[]
  readonly passes: (seq: number) => boolean
  readonly params: SearchParams
}

/** The letters that a word, stemmed as in its field, needs before none, one and two typos are forgiven. */
const LETTERS_FOR_TYPOS = [0, 4, 7]

/** The fields of these names. @throws RequestFailure if one does not exist or is not a text */
export function queryFields(collection: Collection, names: readonly string[]): Field[] {
  const fields = names.map((name) => {
    const field = collection.field(name)
    if (field === undefined)
      throw new RequestFailure(404, `Could not find a field named \`${name}\` in the schema.`)
    return field
  })
  for (const field of fields) {
    const { name } = field
    if (!field.index)
      throw new RequestFailure(400, `Field \`${name}\` is marked as a non-indexed field in the schema.`)
    if (!isText(field))
      throw new RequestFailure(400, `Field \`${name}\` should be a string or a string array.`)
  }
  return fields
}

/** The query's words, tokenised like the first field's text, not stemmed. */
export function queryWords(collection: Collection, { q, queryBy }: SearchParams): string[] {
  const field = collection.field(queryBy[0] ?? '')
  return field === undefined ? [] : collection.tokens(field, q).map(({ word }) => word)
}

/**
 * Finds documents by words; returns them by `seq`. Words that no allowed document contains are dropped. A
 * document must contain all the others, in any of the fields. While fewer than `drop_tokens_threshold`
 * documents are found, more words are dropped, from the right or from both sides, but never more than half of
 * the query. (In a recorded query of seven words, four were dropped for lack of candidates, and no other at a
 * threshold of 100.) Typos are forgiven while fewer than `typo_tokens_threshold` documents are found.
 */
export function searchText(
  collection: Collection,
  params: SearchParams,
  allowed: Allowed,
): Map<number, TextHit> {
  const fields = queryFields(collection, params.queryBy)
  if (fields.length === 0) throw new RequestFailure(400, 'No search fields specified for the query.')
  const passes = (seq: number) => {
    const stored = collection.bySeq(seq)
    return stored !== undefined && allowed.passes(stored)
  }
  const scope: Scope = { collection, fields, params, passes }
  const words = queryWords(collection, params)
  const present = words
    .map((typed, at) => candidates(scope, typed, at, at === words.length - 1))
    .filter(({ levels }) => levels.length > 0)
  const hits = new Map<number, TextHit>()
  const run = (wanted: readonly Candidates[]) => {
    for (let level = 0; level <= params.numTypos; level++) {
      for (const [seq, matches] of matchAll(scope, wanted, level))
        if (!hits.has(seq))
          hits.set(seq, { matches, text: textScore(matches), dropped: words.length - wanted.length })
      if (hits.size >= params.typoTokensThreshold) return
    }
  }
  if (present.length > 0) run(present)
  const [mode, most] = params.dropTokensMode.split(':')
  const fromLeft = mode === 'left_to_right' || (mode === 'both_sides' && present.length <= Number(most ?? 0))
  const isEnough = () => hits.size >= params.dropTokensThreshold
  const least = Math.max(1, Math.ceil(words.length / 2))
  for (let kept = present.length - 1; kept >= least && !isEnough(); kept--) {
    if (mode !== 'left_to_right') run(present.slice(0, kept))
    if (fromLeft && !isEnough()) run(present.slice(-kept))
  }
  return hits
}

function candidates(
  { collection, fields, params, passes }: Scope,
  typed: string,
  at: number,
  isLast: boolean,
): Candidates {
  const prefix = params.prefix && isLast
  const levels: FieldLeaf[][] = []
  const most = params.exactWords.some((kind) => kind.test(typed)) ? 0 : params.numTypos
  for (let typos = 0; typos <= most; typos++) {
    const leaves: FieldLeaf[] = []
    for (const [fieldAt, field] of fields.entries()) {
      const index = collection.index(field.name)
      const wanted = collection.words(field, typed)[0] ?? typed
      if (wanted.length < (LETTERS_FOR_TYPOS[typos] ?? 0)) continue
      for (const word of typos === 0 && !prefix ? [wanted] : index.keys()) {
        const isWhole = editDistance(wanted, word, false, typos) === typos
        if (!isWhole && !(prefix && editDistance(wanted, word, true, typos) === typos)) continue
        if (!someKey(index.get(word), passes)) continue
        leaves.push({ fieldAt, word, cost: 2 * typos + (isWhole ? 0 : 1) })
      }
    }
    if (leaves.length > 0) levels.push(leaves)
  }
  return { at, levels }
}

function someKey(
  posting: ReadonlyMap<number, unknown> | undefined,
  passes: (key: number) => boolean,
): boolean {
  for (const key of posting?.keys() ?? []) if (passes(key)) return true
  return false
}

/** The documents that contain all wanted words, with the matches in each field. */
function matchAll(
  { collection, fields, passes }: Scope,
  wanted: readonly Candidates[],
  level: number,
): Map<number, FieldMatch[]> {
  const bySeq = new Map<number, Map<number, Map<number, { leaf: Leaf; positions: readonly number[] }>>>()
  for (const { at, levels } of wanted)
    for (const leaf of levels.slice(0, level + 1).flat())
      for (const [seq, positions] of collection.index(fields[leaf.fieldAt]?.name ?? '').get(leaf.word) ??
        []) {
        if (!passes(seq)) continue
        const perField = getOr(bySeq, seq, () => new Map())
        const perWord = getOr(perField, leaf.fieldAt, () => new Map())
        const known = perWord.get(at)
        if (known === undefined || leaf.cost < known.leaf.cost) perWord.set(at, { leaf, positions })
      }
  const all = new Map<number, FieldMatch[]>()
  for (const [seq, perField] of bySeq) {
    const found = new Set([...perField.values()].flatMap((perWord) => [...perWord.keys()]))
    if (found.size < wanted.length) continue
    const stored = collection.bySeq(seq)
    all.set(
      seq,
      [...perField].map(([fieldAt, words]) => {
        const field = fields[fieldAt]
        const length = field?.type === 'string' ? (stored?.lengths.get(field.name) ?? 0) : 0
        return { fieldAt, words, exact: length === words.size && length === wanted.length }
      }),
    )
  }
  return all
}

function getOr<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

import { folded } from '@daybook/memory/fold-words'
import { isSettled } from '@daybook/memory/settle'
import { type Memory, type MemoryState, textOf } from '@daybook/memory/state'
import { readSupersededBy } from '@daybook/pgvector/read/filter'
import type { HitExplanation } from './ranking/explanation.ts'
import type { SearchParts } from './search-parts.ts'
import { suspect } from './suspected/suspect.ts'

/** What is put in order. */
interface Scored {
  readonly memoryId: string
  readonly score: number
  readonly explanation?: HitExplanation
}

/** A hit, and the plain id of the memory that supersedes it, or seems to, if there is one. */
export type Succeeded<Hit> = Hit & { readonly supersededBy?: string; readonly seemsSupersededBy?: string }

/**
 * Puts each memory that another of these supersedes below that one, with at most its score: who asks wants to
 * know what is true now. Where the newer memory is not among them, the older one stays where it is: it is all
 * that is known of the question, and its `supersededBy` says where to go on.
 */
export async function belowSuccessors<Hit extends Scored>(
  { scope, readModel }: Pick<SearchParts, 'scope' | 'readModel'>,
  hits: readonly Hit[],
): Promise<readonly Succeeded<Hit>[]> {
  if (hits.length === 0) return hits
  const successors = await readSupersededBy(
    scope,
    readModel.tables,
    hits.map(({ memoryId }) => memoryId),
  )
  return successors.size === 0 ? hits : orderBySuccession(hits, successors)
}

/** The order of `belowSuccessors`. @param successors the newer memory's id by that of the older one */
export function orderBySuccession<Hit extends Scored>(
  hits: readonly Hit[],
  successors: ReadonlyMap<string, string>,
): readonly Succeeded<Hit>[] {
  const byId = new Map(hits.map((hit) => [hit.memoryId, hit]))
  const placed = hits.map((hit) => {
    let score = hit.score
    let generations = 0
    // Memories may supersede each other in a circle.
    const seen = new Set([hit.memoryId])
    for (let id = successors.get(hit.memoryId); id !== undefined && !seen.has(id); id = successors.get(id)) {
      const newer = byId.get(id)
      if (newer === undefined) break
      seen.add(id)
      score = Math.min(score, newer.score)
      generations += 1
    }
    const supersededBy = successors.get(hit.memoryId)
    return {
      hit: supersededBy === undefined ? hit : { ...movedTo(hit, score), supersededBy },
      generations,
    }
  })
  return placed
    .toSorted((a, b) => b.hit.score - a.hit.score || a.generations - b.generations)
    .map(({ hit }) => hit)
}

/** A hit with another score, which its explanation accounts for. */
function movedTo<Hit extends Scored>(hit: Hit, score: number): Hit {
  const { explanation } = hit
  if (score === hit.score || explanation === undefined) return { ...hit, score }
  const contribution = logOdds(score) - logOdds(hit.score)
  const priors = [
    ...explanation.priors,
    { name: 'succession' as const, value: contribution, weight: 1, contribution },
  ]
  return { ...hit, score, explanation: { ...explanation, priors, score } }
}

/** Of a score, which may be 0 or 1 where no tokens were compared. */
const logOdds = (score: number): number => Math.log((score + 1e-9) / (1 - score + 1e-9))

/**
 * How alike two texts must be to say the same thing at two times (`resemblance.ts`), and which share of their words they must have
 * in common: by meaning alone abstracts on one subject were taken for one, which cost Cranfield .009 nDCG.
 */
const SAME_THING = 0.85
const SAME_WORDS = 0.5

/** The characters of a text that are looked at: each of ten hits may be compared with each. */
const COMPARED = 4_000

/**
 * Of two scores of which the lower one is at least this share of the higher one, both answer about equally well, if they have the
 * same words of the question: who names one of two things wants that one.
 */
const ABOUT_EQUAL = 0.8

/** The longest text, in characters, that says one thing, so that another word in it says another one. */
const ONE_THING = 300

/** The hits among which that is looked for: one far down says little about what is asked. */
const AMONG = 10

/** A word with a capital letter inside a sentence. */
const NAME = /(?<=[\p{L}\p{N},;)] )\p{Lu}[\p{L}\p{N}]+/gu

/** Words, of which those with letters and digits name things. */
const WORD = /[\p{L}\p{N}_-]+/gu

/**
 * Puts the newest memory of the same thing before the older ones: of decisions on one topic, and of memories of one kind and
 * context that are much alike and name the same things, or are short, differ in a word or two and answer about equally well.
 * It takes the best score of them, and the others say by what they seem superseded, unless both may be true. Nothing is
 * settled by that: only `supersedes` does.
 *
 * @param hits best first
 * @param resemble how much two of the hits resemble each other; null if nobody knows
 * @param wanted the question's words
 */
export function newestFirst<Hit extends Succeeded<Scored>>(
  hits: readonly Hit[],
  memories: ReadonlyMap<string, Memory>,
  resemble: (one: string, other: string) => number | null,
  wanted = '',
): readonly Hit[] {
  const likeness = (one: Hit, other: Hit) => likenessOf(one, other, memories, resemble, wanted)
  const [best, others] = [hits.slice(0, AMONG), hits.slice(AMONG)]
  const groups: [Hit, ...Hit[]][] = []
  for (const hit of best) {
    const group = groups.find(([first]) => likeness(hit, first) !== null)
    if (group === undefined) groups.push([hit])
    else group.push(hit)
  }
  if (groups.length === best.length) return hits
  const age = ({ memoryId }: Hit) => timeOf(memories.get(memoryId)?.state)
  const ordered = groups
    .flatMap((group) => {
      const [first] = group
      const newest = group.reduce((one, other) => (age(other) > age(one) ? other : one))
      return group.length === 1
        ? group
        : [
            movedTo(newest, first.score),
            ...group
              .filter((hit) => hit !== newest)
              .map((hit) =>
                likeness(hit, newest) === 'same' ? { ...hit, seemsSupersededBy: newest.memoryId } : hit,
              ),
          ]
    })
    .toSorted((one, other) => other.score - one.score)
  return [...ordered, ...others]
}

const timeOf = (state: MemoryState | undefined): number =>
  state === undefined ? 0 : Date.parse(state.occurredAt ?? state.createdAt)

/** Whether two hits say the `same` at two times, or are so `alike` that the newer one is the better answer. */
function likenessOf(
  one: Succeeded<Scored>,
  other: Succeeded<Scored>,
  memories: ReadonlyMap<string, Memory>,
  resemble: (one: string, other: string) => number | null,
  wanted: string,
): 'same' | 'alike' | null {
  const [a, b] = [memories.get(one.memoryId)?.state, memories.get(other.memoryId)?.state]
  if (a === undefined || b === undefined || a.kind !== b.kind || a.context !== b.context) return null
  if (one.supersededBy !== undefined || other.supersededBy !== undefined || timeOf(a) === timeOf(b))
    return null
  if (a.kind === 'decision' && folded(String(a.content['topic'])) === folded(String(b.content['topic'])))
    return 'same'
  const [text, otherText] = [a, b].map((state) => textOf(state).slice(0, COMPARED)) as [string, string]
  const isNear = (resemble(one.memoryId, other.memoryId) ?? 0) >= SAME_THING
  const isShort = Math.max(text.length, otherText.length) <= ONE_THING
  if (!(isNear || isShort) || wordsInCommon(text, otherText) < SAME_WORDS) return null
  const isAboutOne = isNear && namesOf(text) === namesOf(otherText)
  if (isAboutOne && numbersOf(text) === numbersOf(otherText)) return 'same'
  const [older, newer] = timeOf(a) < timeOf(b) ? [a, b] : [b, a]
  const suspected = isSettled(older, newer) ? null : suspect(older, newer, null)
  const isReplaced = suspected !== null && suspected.kind !== 'duplicate'
  // Service 77 and service 772 are two things; a price of 9 and then of 10 is one.
  if (isAboutOne && isReplaced) return 'same'
  const [lower, higher] = [Math.min(one.score, other.score), Math.max(one.score, other.score)]
  if (!isShort || lower < ABOUT_EQUAL * higher || askedIn(text, wanted) !== askedIn(otherText, wanted))
    return null
  return isReplaced ? 'same' : 'alike'
}

/** The words that are in both texts, as a share of those in any. */
function wordsInCommon(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const common = [...a].filter((word) => b.has(word)).length
  return common / Math.max(1, a.size + b.size - common)
}

/** The words of a question that a text has. */
function askedIn(text: string, wanted: string): string {
  const words = wordsOf(text)
  return [...wordsOf(wanted)].filter((word) => words.has(word)).join(' ')
}

const numbersOf = (text: string): string => (text.match(/\p{N}+/gu) ?? []).join(' ')

const wordsOf = (text: string): Set<string> => new Set(folded(text).match(/[\p{L}\p{N}]+/gu))

function namesOf(text: string): string {
  const numbered = (text.match(WORD) ?? []).filter((word) => /\p{N}/u.test(word) && /\p{L}/u.test(word))
  return [...new Set([...(text.match(NAME) ?? []), ...numbered])].toSorted().join(' ')
}

import { folded } from '@daybook/memory/fold-words'
import type { KindName } from '@daybook/memory/kinds/index'
import type { Suspicion } from '@daybook/memory/settle'
import { bodyOf, keyOf, type MemoryState, titleOf } from '@daybook/memory/state'
import { joinParts } from '@daybook/memory/text-rules'
import { type ComparedWord, comparedWords } from './compared-words.ts'
import { type DifferingPart, differingParts } from './differing-parts.ts'
import { CHOICES, hasContent, roleOf, SEVERAL } from './sentence-roles.ts'
import { isTurned } from './turned-round.ts'

/*
 * Which two memories somebody should look at. Rules over the words at which they differ, and no model: a rule that was wrong
 * can be read. It only reports; nothing is settled by it. How often it is right: docs/measurements.md#suspected-pairs.
 */

/** The words that differ at one place; either side may be empty. */
export interface Difference {
  readonly older: string
  readonly newer: string
}

/** A suspicion with its reason. */
export interface Suspected {
  readonly kind: Suspicion
  /** In the order of the texts; none for a duplicate. */
  readonly differences: readonly Difference[]
}

/** The kinds that say how things are. The others say what happened or what is to do: those can only be said twice. */
const CLAIMS: ReadonlySet<KindName> = new Set(['insight', 'decision', 'learning', 'note', 'fact', 'entity'])

/** Longer texts are only compared as they are: what differs in one place of them seldom decides, and comparing takes long. */
const MOST_CHARACTERS = 2_000

/** From this cosine on, texts of the same words in another order say the same. */
const SAME_COSINE = 0.9

/** A text that says that something changed is as near as this to what it changes. */
const CHANGE_COSINE = 0.5

/** Two texts about one topic that are as near as this are about one choice. */
const TOPIC_COSINE = 0.55

/** Of the words of the shorter text, so many are in the other one, too. */
const ALIKE = 0.5

/**
 * Decides about two memories.
 * @param older what happened first, or was written first
 * @param cosine of their vectors; null if nobody knows
 */
export function suspect(older: MemoryState, newer: MemoryState, cosine: number | null): Suspected | null {
  if (older.context !== newer.context || (older.part !== undefined && newer.part !== undefined)) return null
  const areClaims = CLAIMS.has(older.kind) && CLAIMS.has(newer.kind)
  if (older.kind !== newer.kind && !areClaims) return null
  const { texts, isOneTopic } = saidBy(older, newer)
  if (texts[0] === texts[1]) return DUPLICATE
  if (texts.some(({ length }) => length > MOST_CHARACTERS)) return null
  const [a, b] = texts.map(comparedWords) as [ComparedWord[], ComparedWord[]]
  // Signs and emoji are no words.
  if (a.length === 0 || b.length === 0) return null
  if (stems(a) === stems(b) || (cosine !== null && cosine >= SAME_COSINE && saySame(a, b))) return DUPLICATE
  if (!areClaims) return null
  const isChange = CHANGED.test(texts[1])
  const suspected = differ(a, b, { cosine: cosine ?? 0, isOneTopic, isChange })
  // What was said at one time did not replace anything.
  return suspected?.kind === 'replaced' && happenedAt(older) === happenedAt(newer)
    ? { ...suspected, kind: 'contradicts' }
    : suspected
}

const DUPLICATE: Suspected = { kind: 'duplicate', differences: [] }

/** When it happened, in milliseconds; when it was written if nobody told. */
export const happenedAt = ({ occurredAt, createdAt }: MemoryState): number =>
  Date.parse(occurredAt ?? createdAt)

/** The texts that are compared, and whether both are about one key. The key itself says nothing then. */
function saidBy(older: MemoryState, newer: MemoryState): { texts: [string, string]; isOneTopic: boolean } {
  const [key, other] = [keyOf(older), keyOf(newer)]
  const isOneTopic =
    older.kind === newer.kind && key !== null && other !== null && folded(key) === folded(other)
  // What is said of an entity is said of its name.
  const said = (state: MemoryState) =>
    state.kind === 'entity' && !isOneTopic
      ? joinParts(titleOf(state), bodyOf(state))
      : (bodyOf(state) ?? titleOf(state))
  return { texts: [said(older), said(newer)], isOneTopic }
}

const stems = (words: readonly ComparedWord[]) => words.map(({ stem }) => stem).join(' ')

/** Whether two texts have the same words in any order, but for one verb. */
function saySame(a: readonly ComparedWord[], b: readonly ComparedWord[]): boolean {
  if (telling(a) === telling(b)) return true
  const [part, ...others] = differingParts(a, b).filter(isTelling)
  return part !== undefined && others.length === 0 && roleOf(part) === 'predicate' && !isTurned(part)
}

const telling = (words: readonly ComparedWord[]): string =>
  stems(words.filter((word) => word.isContent || word.isNegation || ORDER.has(word.stem)).toSorted(byStem))

const ORDER = new Set(['before', 'after'])

const byStem = (one: ComparedWord, other: ComparedWord) => (one.stem < other.stem ? -1 : 1)

const isTelling = (part: DifferingPart): boolean =>
  [...part.older, ...part.newer].some(({ isContent, isNegation }) => isContent || isNegation) ||
  isTurned(part)

/** Words with which somebody says that something changed. */
const CHANGED =
  /\b(?:now|switched|moved|migrat\w+|replac\w+|no longer|instead|renamed|we drop(?:ped)?|and drop|goes away|gone|since|deprecated)\b/iu

/** What was done on one day is not undone by what was done on another. */
const DAY =
  /^(?:(?:19|20)\d\d(?:-.*)?|january|february|march|april|may|june|july|august|september|october|november|december|\w+day)$/iu

interface Likeness {
  readonly cosine: number
  readonly isOneTopic: boolean
  /** Whether the newer text says that something changed. */
  readonly isChange: boolean
}

function differ(
  a: readonly ComparedWord[],
  b: readonly ComparedWord[],
  { cosine, isOneTopic, isChange }: Likeness,
): Suspected | null {
  const differing = differingParts(a, b).filter(isTelling)
  const found = (kind: Suspicion): Suspected => ({
    kind,
    differences: differing.map(({ older, newer }) => ({ older: written(older), newer: written(newer) })),
  })
  const shared = sharedWords(a, b)
  if (isChange && cosine >= CHANGE_COSINE && shared >= (isOneTopic ? 1 : 2) && namesSubject(a, b))
    return found('replaced')
  if (isOneTopic && cosine >= TOPIC_COSINE) return found('replaced')
  // One more word on one side is a detail. More than one that differ: they are about two things.
  const [part, ...others] = differing.filter((one) => isTurned(one) || isReplacement(one))
  if (part === undefined || others.length > 0) return null
  if (shared < ALIKE * Math.min(contents(a), contents(b))) return null
  const role = roleOf(part)
  if (role === 'case' || (role === 'subject' && isReplacement(part) && !isOneTopic)) return null
  if (isTurned(part)) return found('contradicts')
  const both = (is: (word: ComparedWord) => boolean) => part.older.some(is) && part.newer.some(is)
  if (role === 'predicate') return null
  if (part.before.some(({ isPast }) => isPast) && both((word) => DAY.test(word.written))) return null
  if (both(({ isNumber }) => isNumber)) return found('contradicts')
  // Two things that must not be done, or two that somebody likes, go together.
  if (part.before.some(({ stem, isNegation }) => isNegation || SEVERAL.has(stem))) return null
  return found(isOneTopic || part.before.some(({ stem }) => CHOICES.has(stem)) ? 'replaced' : 'contradicts')
}

const isReplacement = ({ older, newer }: DifferingPart): boolean => hasContent(older) && hasContent(newer)

const contents = (words: readonly ComparedWord[]): number => words.filter(({ isContent }) => isContent).length

/** How many different words with content both have, wherever. */
function sharedWords(a: readonly ComparedWord[], b: readonly ComparedWord[]): number {
  const others = new Set(b.map(({ stem }) => stem))
  return new Set(a.filter(({ stem, isContent }) => isContent && others.has(stem)).map(({ stem }) => stem))
    .size
}

/** Whether the other text has one of the two words with which the first begins. */
function namesSubject(a: readonly ComparedWord[], b: readonly ComparedWord[]): boolean {
  const subject = a.filter(({ isContent }) => isContent).slice(0, 2)
  return subject.some(({ stem }) => b.some((other) => other.stem === stem))
}

const written = (words: readonly ComparedWord[]): string => words.map((word) => word.written).join(' ')

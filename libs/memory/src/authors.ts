import { isDeepStrictEqual } from 'node:util'
import { isFilled } from './changed-fields.ts'
import { COMMON_FIELD_NAMES, type CommonFieldName } from './common-fields.ts'
import type { NewEvent, StateAfter } from './events.ts'
import { type KindName, kindNamed } from './kinds/index.ts'
import type { CommonFields, MemoryState } from './state.ts'
import type { Writer } from './writer.ts'

/**
 * What the common fields hold. Who changes one is an author, unless it says nothing. Words stay their writer's (`textBy`);
 * whose the others are, nobody notes, so a quarantine resets them all.
 */
const SAYS = {
  agent: 'words',
  labels: 'words',
  categories: 'words',
  context: 'words',
  metadata: 'words',
  importance: 'no words',
  occurredAt: 'no words',
  supersedes: 'no words',
  expiresAt: 'nothing',
} as const satisfies Record<CommonFieldName, 'words' | 'no words' | 'nothing'>

const COMMON_TEXTS = COMMON_FIELD_NAMES.filter((name) => SAYS[name] === 'words')

/**
 * The event with its writer, and with the authors of the state after it. Whoever wrote words that are still there is an
 * author: else a trusted key that changes one field vouches for another one, which it did not write, and brings it out of a
 * quarantine. `textBy` keeps whose the fields are. A field is one text: who rewrites it vouches for all of it.
 *
 * Ticking off a todo, or closing a session, makes nobody an author, nor does forgetting: they add no words.
 *
 * A state that came back has the authors that it had. The agent is the one that the request names, else the one
 * that the memory names.
 *
 * @param writer null if nobody is known: then nobody is the author of what changed
 */
export function withWriter<Event extends NewEvent>(event: Event, writer: Writer | null): Event {
  const { given: _, ...bare } = event
  const { data } = event
  const named = writer === null ? null : withAgent(writer, data.state, data.changed)
  const state = isBroughtBack(data) ? data.state : authored(event, named)
  return { ...bare, data: { ...data, state, ...(named !== null && { writer: named }) } } as Event
}

const isBroughtBack = (data: StateAfter & { readonly restoredVersion?: number }): boolean =>
  data.restoredVersion !== undefined || data.undoneTo !== undefined

function withAgent(writer: Writer, { agent }: MemoryState, changed: readonly string[]): Writer {
  return writer.agent === undefined && agent !== null && changed.includes('agent')
    ? { ...writer, agent }
    : writer
}

function authored({ type, given = [], data }: NewEvent, writer: Writer | null): MemoryState {
  const { state, changed } = data
  const { writtenBy: wrote, editedBy: edited, textBy: _, ...bare } = state
  if (type === 'MemoryRemembered') return writer === null ? bare : { ...bare, writtenBy: writer }
  if (changed.every((name) => saysNothing(state.kind, name))) return state
  const said = new Set([...changed, ...given].filter((name) => isText(state.kind, name)))
  const isWritten = [...said].some((name) => name.startsWith('content.'))
  const writtenBy = (isWritten ? writer : wrote) ?? null
  const textBy: Record<string, Writer | null> = {}
  for (const name of textsOf(state)) {
    const author = said.has(name) ? writer : authorOf(state, name)
    if (!isSame(author, writtenBy)) textBy[name] = author
  }
  const editor = isWritten || isSame(writer, writtenBy) ? null : writer
  const others = Object.values(textBy).filter((one) => one !== null)
  const editedBy = editor ?? (isWritten ? null : stillEditing(edited, others)) ?? others.at(-1) ?? null
  return {
    ...bare,
    ...(writtenBy !== null && { writtenBy }),
    ...(editedBy !== null && { editedBy }),
    // Also where it is empty, or the editor would be taken for the author of a text.
    ...((editedBy !== null || Object.keys(textBy).length > 0) && { textBy }),
  }
}

/** The editor before, if words of that one are left. */
const stillEditing = (edited: Writer | undefined, others: readonly Writer[]): Writer | null =>
  edited !== undefined && others.some((one) => isSame(one, edited)) ? edited : null

/** Whose a text is; null if nobody knows. Before `textBy`, nothing said which fields an editor had changed. */
function authorOf({ writtenBy, editedBy, textBy }: MemoryState, name: string): Writer | null {
  if (textBy !== undefined) return Object.hasOwn(textBy, name) ? (textBy[name] ?? null) : (writtenBy ?? null)
  return (name.startsWith('content.') ? writtenBy : (editedBy ?? writtenBy)) ?? null
}

/** The names of a state's texts, as in `changedFields`. */
function textsOf(state: MemoryState): string[] {
  const content = Object.keys(state.content)
    .map((name) => `content.${name}`)
    .filter((name) => isText(state.kind, name))
  return [...content, ...COMMON_TEXTS.filter((name) => isFilled(state[name]))]
}

/** Whether a field holds words, not only one of a few, or a moment. A field of a newer Daybook may hold any. */
function isText(kind: KindName, name: string): boolean {
  if (!name.startsWith('content.')) return (COMMON_TEXTS as readonly string[]).includes(name)
  const shape = kindNamed(kind).fields[name.slice('content.'.length)]?.shape ?? 'string'
  return shape === 'string' || shape === 'strings'
}

/** Whether a field of the content says how far something is, such as when a todo was done: it holds no words. */
export const isStatus = (kind: KindName, name: string): boolean =>
  name.startsWith('content.') && !isText(kind, name)

/** Whether whoever changes this field is no author of what the memory says. */
const saysNothing = (kind: KindName, name: string): boolean =>
  name === 'forgottenAt' || SAYS[name as CommonFieldName] === 'nothing' || isStatus(kind, name)

const isSame = (one: Writer | null, other: Writer | null): boolean =>
  one?.key === other?.key && one?.agent === other?.agent

/** Whether two states have the same authors. */
export const haveSameAuthors = (one: MemoryState, other: MemoryState): boolean =>
  isDeepStrictEqual(
    [one.writtenBy, one.editedBy, one.textBy],
    [other.writtenBy, other.editedBy, other.textBy],
  )

/** The known authors of a state: who wrote its content, who has edited it since, and whose other words are left. */
export function authorsOf({ writtenBy, editedBy, textBy = {} }: MemoryState): readonly Writer[] {
  const all = [writtenBy, editedBy, ...Object.values(textBy)].filter((one) => one != null)
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at)
}

/**
 * A state without what writers of such a kind said beside the content: their labels, metadata and context, and, because nobody
 * noted whose those are, the fields without words, such as its importance and what it supersedes. Their texts of the content stay, but nobody's name stands
 * at them any more: who remembers the memory again says those again.
 */
export function withoutWordsOf(
  state: MemoryState,
  isSuch: (writer: Writer) => boolean,
  empty: CommonFields,
): MemoryState {
  const isTheirs = (name: string): boolean => {
    const author = authorOf(state, name)
    return author !== null && isSuch(author)
  }
  const { writtenBy: _, editedBy: __, textBy: ___, ...rest } = state
  const isReset = (name: CommonFieldName) =>
    SAYS[name] === 'no words' || (SAYS[name] === 'words' && isTheirs(name))
  const authors = Object.fromEntries(
    textsOf(state)
      .filter((name) => !isTheirs(name))
      .map((name) => [name, authorOf(state, name)]),
  )
  const emptied = Object.fromEntries(COMMON_FIELD_NAMES.filter(isReset).map((name) => [name, empty[name]]))
  return { ...rest, ...emptied, textBy: authors }
}

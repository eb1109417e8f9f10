import { ValidationError } from './errors.ts'
import type { KindName } from './kinds/index.ts'
import type { Content, MemoryState } from './state.ts'

/** A step in the life of one kind of memory that has a name of its own. */
interface Transition {
  readonly kind: KindName
  /** Whether the content is there already, so that nothing changes. */
  isDone(content: Content): boolean
  /** The content after it. @param now the moment of the decision, RFC 3339 */
  change(content: Content, now: string): Content
}

function without(content: Content, field: string): Content {
  const { [field]: _, ...rest } = content
  return rest
}

/** Every transition by its name, which is the command's and the API's. */
const TRANSITIONS = {
  resolveTodo: {
    kind: 'todo',
    isDone: (content) => content['resolvedAt'] !== undefined,
    change: (content, now) => ({ ...content, resolvedAt: now }),
  },
  reopenTodo: {
    kind: 'todo',
    isDone: (content) => content['resolvedAt'] === undefined,
    change: (content) => without(content, 'resolvedAt'),
  },
  closeSession: {
    kind: 'session',
    isDone: (content) => content['status'] === 'closed',
    change: (content) => ({ ...content, status: 'closed' }),
  },
} as const satisfies Record<string, Transition>

/** The name of a transition. */
export type TransitionName = keyof typeof TRANSITIONS

/** The names of all transitions. */
export const TRANSITION_NAMES = Object.keys(TRANSITIONS) as readonly TransitionName[]

/** Whether a command's type is the name of a transition. */
export const isTransition = (type: string): type is TransitionName => Object.hasOwn(TRANSITIONS, type)

/**
 * The content after a transition; the same content if it is there already.
 * @throws ValidationError for a memory of another kind
 */
export function transitioned(name: TransitionName, state: MemoryState, now: string): Content {
  const { kind, isDone, change }: Transition = TRANSITIONS[name]
  if (state.kind !== kind)
    throw new ValidationError('id', `is of kind ${state.kind}: ${name} needs a ${kind}`)
  return isDone(state.content) ? state.content : change(state.content, now)
}

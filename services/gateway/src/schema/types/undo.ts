import { readHead, sequenceAt } from '@daybook/journal/read/read'
import { planUndo, type UndoItem } from '@daybook/journal/undo/plan-undo'
import { check } from '@daybook/memory/check'
import { ValidationError } from '@daybook/memory/errors'
import { checkFilter } from '@daybook/memory/filter'
import { isUuid } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import { namesAnything, type UndoSelection, type WriterSelection } from '@daybook/memory/undo'
import type { Operation } from '@daybook/operations/operation'
import { isWithheld, NOTHING_WITHHELD, readWithheld } from '@daybook/pgvector/read/access'
import type { Context } from '../../context.ts'
import { OperationRefusedError } from '../admin/operation-refused.ts'
import { operation } from '../admin/operations.ts'
import { requestFor } from '../admin/request-operations.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { READ } from '../resolve-in-project.ts'
import { memoryFilter } from './memory-filter.ts'
import { checkFirst } from './page.ts'

/** What an undo would do, and the operation that does it. */
interface Undo {
  readonly dryRun: boolean
  readonly changes: readonly UndoItem[]
  readonly refusals: readonly UndoItem[]
  readonly sequence: number
  readonly operation: Operation | null
}

/** The most items in one answer. */
const ITEMS_MAX = 1_000

const undoAction = builder.enumType('UndoAction', {
  description: 'What an undo does with a memory.',
  values: {
    FORGET: { description: 'It leaves the indexes: it did not exist then, or was forgotten.' },
    RESTORE: { description: 'It goes back to `toVersion`.' },
    REFUSE: { description: 'It stays as it is; `reason` says why.' },
  } as const,
})

const undoItem = builder.objectType(builder.objectRef<UndoItem>('UndoItem'), {
  description: 'One memory of an undo.',
  fields: (t) => ({
    memoryId: t.id({ resolve: ({ id, memoryId }) => id ?? memoryId }),
    title: t.exposeString('title', {
      nullable: true,
      description:
        'Null if its content was erased, or is withheld by a quarantine from a key without the scope ADMIN.',
    }),
    action: t.field({
      type: undoAction,
      resolve: ({ refused, forgets }) => (refused === null ? (forgets ? 'FORGET' : 'RESTORE') : 'REFUSE'),
    }),
    happened: t.stringList({
      description: 'The types of the events that are undone, oldest first.',
      complexity: 1,
      resolve: ({ happened }) => [...happened],
    }),
    fromVersion: t.exposeInt('fromVersion', { description: 'Its version now.' }),
    toVersion: t.int({
      nullable: true,
      description: 'The version whose state comes back; null if it did not exist then, or is refused.',
      resolve: ({ toVersion }) => (toVersion === 0 ? null : toVersion),
    }),
    code: t.string({
      nullable: true,
      description: 'CHANGED_SINCE, ERASED or UNREADABLE if it is refused.',
      resolve: ({ refused }) => refused?.code ?? null,
    }),
    reason: t.string({ nullable: true, resolve: ({ refused }) => refused?.reason ?? null }),
  }),
})

/** The type `Undo`. */
export const undo = builder.objectRef<Undo>('Undo')

builder.objectType(undo, {
  description:
    'What an undo would do, or is about to do. Its events have the operation’s id as their `correlationId`.',
  fields: (t) => {
    const list = (name: 'changes' | 'refusals', description: string) =>
      t.field({
        ...READ,
        type: [undoItem],
        description: `${description} At most ${ITEMS_MAX}.`,
        args: { first: t.arg.int({ defaultValue: 100 }) },
        complexity: ({ first }) => listCost(first),
        resolve: (all, { first }) =>
          all[name].slice(0, checkFirst(first, { fallback: 100, most: ITEMS_MAX })),
      })
    return {
      dryRun: t.exposeBoolean('dryRun'),
      changed: t.int({
        description: 'Memories that change.',
        resolve: ({ changes }) => changes.length,
      }),
      refused: t.int({
        description: 'Memories that are covered and stay as they are.',
        resolve: ({ refusals }) => refusals.length,
      }),
      changes: list('changes', 'The memories that change, in the order of what is undone.'),
      refusals: list('refusals', 'The memories that stay as they are, and why.'),
      sequence: t.exposeInt('sequence', {
        description: 'The journal’s end: what comes after it is not undone.',
      }),
      operation: t.field({
        type: operation,
        nullable: true,
        description: 'What does it; null for a dry run. Ask `operation` how far it is.',
        resolve: (one) => one.operation,
      }),
    }
  },
})

const writerInput = builder.inputType('WriterInput', {
  description: 'Writers: those of the keys, and who said to be the agent.',
  fields: (t) => ({
    keyIds: t.idList({ description: 'The ids of at most 100 API keys, as in `Writer.keyId`.' }),
    agent: t.string({ description: 'As in `Writer.agent`.' }),
  }),
})

/** The most keys of one undo. */
const MOST_KEYS = 100

const undoResult = builder.errorUnion('UndoResult', {
  types: [undo, ValidationError, OperationRefusedError],
  resolveType: () => 'Undo',
})

builder.mutationField('undo', (t) =>
  t.field({
    type: undoResult,
    // It reads all events since the moment.
    complexity: { field: SEARCH_COST },
    description:
      'Takes back what was done since a moment: what was remembered is forgotten, what was revised, forgotten or restored goes back to the version before. A memory that somebody else has changed since is refused. Everything is written as events of one operation; `undo(correlationId: "<the operation’s id>")` takes it back.',
    args: {
      filter: t.arg({
        type: memoryFilter,
        required: true,
        description:
          'Which memories, before or after the change. `agent` is compared with the memory after it.',
      }),
      since: t.arg({ type: 'DateTime', required: true, description: 'This moment included.' }),
      dryRun: t.arg.boolean({ defaultValue: true, description: 'Only says what would be done.' }),
      actor: t.arg.string({ description: 'Only what was written with the API key of this name.' }),
      correlationId: t.arg.string({
        description:
          'Only what requests with this `x-correlation-id` wrote, such as those of one session; or what the operation with this id wrote, such as an undo.',
      }),
      writer: t.arg({
        type: writerInput,
        description: 'Only what was written with these keys, or by who said to be this agent.',
      }),
      everything: t.arg.boolean({
        defaultValue: false,
        description: 'Needed if neither the filter nor anything else restricts what is undone.',
      }),
    },
    resolve: (_, { filter, actor, correlationId, writer, since, dryRun, everything }, context) => {
      const selection: UndoSelection = {
        filter: checkFilter(filter),
        actor: checkName('actor', actor),
        correlationId: checkName('correlationId', correlationId),
        writer: checkWriter(writer),
      }
      if (selection.filter.minTrust !== undefined)
        throw new ValidationError(
          'filter.minTrust',
          'selects no events: trust is of keys, so say which: writer',
        )
      if (!namesAnything(selection) && everything !== true)
        throw new ValidationError(
          'filter',
          'names nothing: give a context, an agent, an actor, a correlationId or another condition, or everything: true to undo all that happened since',
        )
      if (Date.parse(since) > Date.now())
        throw new ValidationError('since', 'lies in the future, where nothing has happened')
      return planned(context, selection, { since, dryRun: dryRun ?? true })
    },
  }),
)

function checkName(name: string, given: string | null | undefined): string | null {
  return given == null ? null : check(name, shortString(LIMITS.nameCharacters), given)
}

function checkWriter(given: typeof writerInput.$inferInput | null | undefined): WriterSelection | null {
  if (given == null) return null
  const keys = given.keyIds ?? []
  if (keys.length > MOST_KEYS || keys.some((key) => !isUuid(key)))
    throw new ValidationError('writer.keyIds', `must be the ids of at most ${MOST_KEYS} keys`)
  const agent = checkName('writer.agent', given.agent)
  if (keys.length === 0 && agent === null)
    throw new ValidationError('writer', 'names nobody: give keyIds or an agent')
  return { keys: keys.map((key) => key.toLowerCase()), agent }
}

async function planned(
  context: Context,
  selection: UndoSelection,
  { since, dryRun }: { since: string; dryRun: boolean },
): Promise<Undo> {
  const { project } = context
  const { projectId } = project
  // Moments have milliseconds.
  const after = await sequenceAt(project, new Date(Date.parse(since) - 1).toISOString())
  const upTo = await readHead(project)
  // Administrators decide about a quarantine, and must see what it is about.
  const withheld = context.access.scopes.has('admin') ? NOTHING_WITHHELD : await readWithheld(project.db)
  const plan = await planUndo(
    project,
    { ...selection, after, upTo },
    () => {},
    (state) => !isWithheld(withheld, state),
  )
  const running = dryRun
    ? null
    : await requestFor(project.db, context, {
        type: 'undo',
        projection: null,
        projectId,
        options: { projectId, ...selection, since, after, upTo },
      })
  return {
    dryRun,
    changes: plan.filter(({ refused }) => refused === null),
    refusals: plan.filter(({ refused }) => refused !== null),
    sequence: upTo,
    operation: running,
  }
}

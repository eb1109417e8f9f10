import {
  type GraphQLDocument,
  type ReadonlyInput,
  type ResultOf,
  type VariablesOf,
} from '@daybook/api/graphql'
import * as subscriptions from '@daybook/api/subscriptions'
import { MEMORY, type NO_CONTENT } from '@daybook/client/documents/memory'
import { safeLine } from '@daybook/memory/safe-text'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Command } from 'commander'
import { readHead } from '../client/operations.ts'
import { mayComeBack, subscribe } from '../client/subscribe.ts'
import { addExamples, addNotes, collect, invocation, wholeNumber } from '../command.ts'
import { RefusedError } from '../command-line.ts'
import { note, print, printRaw, toJson } from '../output/print.ts'
import { outputColumns, wrapBehind } from '../output/table.ts'
import type { Connection } from '../settings.ts'

/** Adds the arguments, options and action of `daybook tail`. */
export function configureTail(command: Command): void {
  command
    .option(
      '--after <sequence>',
      'begin after this sequence, 0 for all; from now on unless given',
      wholeNumber(),
    )
    .option('--kind <kind>', 'only events of this kind; may be repeated', collect)
    .action((options: TailOptions, self: Command) => tail(options, self))
  addExamples(command, [
    'daybook tail',
    'daybook tail --after 0 --kind decision',
    'daybook tail --json | jq .memory.title',
  ])
  addNotes(
    command,
    '\nSequence, time, type, kind and title of each event; with --json one JSON object a line. It goes on where it was\nwhen the daemon restarts. Ctrl-C ends it with exit code 0.',
  )
}

interface TailOptions {
  readonly after?: number
  readonly kind?: readonly string[]
}

async function tail({ after, kind }: TailOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const following = {
    connection,
    filter: { kinds: kind && (await import('../command-line.ts')).toApiKinds(kind), includeForgotten: true },
    after: after ?? null,
    onNotice: note,
    signal: ending.signal,
  }
  if (!json) return follow({ ...following, document: TAIL, onEvent: (event) => print(renderEvent(event)) })
  const { memoryContent, withContent } = await import('@daybook/client/documents/memory-content')
  await follow({
    ...following,
    document: tailWhole(memoryContent()),
    onEvent: (event) => printRaw(toJson({ ...event, memory: event.memory && withContent(event.memory) })),
  })
}

const WITHOUT_MEMORY: Readonly<Record<TailedEvent['status'], string>> = {
  READABLE: '',
  OPAQUE: '(written by a newer Daybook, or damaged: it cannot be read here)',
  ERASED: '(erased)',
  QUARANTINED: '(its writer is in quarantine)',
}

/** The fewest columns for a title beside the fields before it. */
const TITLE = 24

/** One line: sequence, time, type, kind, title. In a narrow terminal the last two stand below the others. */
function renderEvent(
  { sequence, type, recordedAt, status, memory }: TailedEvent,
  columns = outputColumns(),
): string {
  const kind = memory === null ? '-' : safeLine(memory.kind.toLowerCase())
  const title = memory === null ? WITHOUT_MEMORY[status] : safeLine(memory.title)
  const happened = `${String(sequence).padStart(6)}  ${recordedAt}  ${safeLine(type).padEnd(17)}  `
  const what = `${kind.padEnd(8)}  `
  return happened.length + what.length + TITLE <= columns
    ? wrapBehind(happened + what, title, columns)
    : `${happened.trimEnd()}\n${wrapBehind(`        ${what}`, title, columns)}`
}

interface Following<Event> {
  readonly connection: Connection
  readonly document: GraphQLDocument<{ events: Event }, TailVariables>
  readonly filter: ReadonlyInput<TailVariables>['filter']
  /** Null means from now on. */
  readonly after: number | null
  readonly onEvent: (event: Event) => void
  /** Called with messages for the person who watches. */
  readonly onNotice: (message: string) => void
  readonly signal: AbortSignal
}

/**
 * Follows the journal across restarts of the daemon, without a gap or a repeat:
 *
 *   asking for the head ──▶ subscribed after the last event seen ──lost──▶ waiting ──▶ asking for the head
 *
 * Asking for the head first turns "from now on" into a sequence, from which the command can resume. Its
 * errors also say more than a socket's.
 *
 * Each sequence goes with its event's hash. So the command notices if the journal has lost its end meanwhile
 * and gave the sequence to another event.
 *
 * @throws UnreachableError if the daemon does not answer at first, UnauthorisedError, RefusedError (also
 * DIVERGED)
 */
export async function follow<Event extends { readonly sequence: number; readonly hash: string }>(
  given: Following<Event>,
): Promise<void> {
  const { connection, document, filter, onEvent, onNotice, signal } = given
  let seen = given.after
  let hash: string | null = null
  let attempt = 0
  let started = false
  let lost = false
  while (!signal.aborted) {
    try {
      const head = await readHead(connection)
      seen ??= head
      if (head < seen)
        throw new RefusedError(
          'BEYOND_HEAD',
          `The journal ends at sequence ${head}, before ${seen}: is it another project, or another data folder?`,
        )
      started = true
      await subscribe(
        connection,
        document,
        { after: seen, afterHash: hash, filter },
        {
          signal,
          onConnected: () => {
            if (lost) onNotice(`Connected again; going on after sequence ${seen}.`)
            lost = false
            attempt = 0
          },
          onData: ({ events: event }) => {
            seen = event.sequence
            hash = event.hash
            onEvent(event)
          },
        },
      )
    } catch (error) {
      if (signal.aborted) return
      if (!mayComeBack(error) || !started) throw error
      if (!lost) onNotice(`The connection to ${connection.url} is lost; trying again (Ctrl-C ends) …`)
      lost = true
      await pause(backoffDelay(attempt++, { firstMs: 200 }), signal)
    }
  }
}

/** The subscription for one line per event. */
const TAIL = subscriptions.events('sequence hash status type recordedAt memory { kind title }')

/** The subscription for whole events. @param content `memoryContent()` */
export const tailWhole = (content: typeof NO_CONTENT) =>
  subscriptions.events(
    `
  id sequence hash status type memoryId version changed actor correlationId recordedAt writer { keyId agent client trust }
  memory { ...Memory ...MemoryContent }`,
    [MEMORY, content],
  )

/** The variables of both subscriptions. */
type TailVariables = VariablesOf<typeof TAIL>

/** An event as `tail` asks for it. */
type TailedEvent = ResultOf<typeof TAIL>['events']

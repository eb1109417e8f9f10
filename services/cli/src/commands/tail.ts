import type { Command } from 'commander'
import { addExamples, addNotes, collect, invocation, wholeNumber } from '../command.ts'
import { toJson } from '../output/json.ts'
import { note, print, printRaw } from '../output/print.ts'
import { renderEvent } from '../tail/event.ts'
import { follow } from '../tail/follow.ts'
import { TAIL, tailWhole } from '../tail/tail-documents.ts'

/** Adds the arguments, options and action of `daybook tail`. */
export function configure(command: Command): void {
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
    filter: { kinds: kind && (await import('../kinds.ts')).toApiKinds(kind), includeForgotten: true },
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

import type { Command } from 'commander'
import { MEMORY_FIELDS, type Memory } from '../client/memory.ts'
import { addExamples, addNotes, collect, invocation, wholeNumber } from '../command.ts'
import { toJson } from '../output/json.ts'
import { note, print, printRaw } from '../output/print.ts'
import { renderEvent, type TailedEvent } from '../tail/event.ts'
import { follow } from '../tail/follow.ts'

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
  const content = json ? await import('../client/memory-content.ts') : null
  const memory = content === null ? 'kind title' : MEMORY_FIELDS + content.contentSelection()
  const query = `subscription Tail($after: Int, $afterHash: String, $filter: MemoryFilter) {
    events(after: $after, afterHash: $afterHash, filter: $filter) {
      id sequence hash status type memoryId version changed actor correlationId recordedAt memory { ${memory} }
    }
  }`
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  await follow<TailedEvent>({
    connection,
    query,
    filter: { kinds: kind && (await import('../kinds.ts')).toApiKinds(kind), includeForgotten: true },
    after: after ?? null,
    onEvent: (event) => {
      if (content === null) return print(renderEvent(event))
      printRaw(toJson({ ...event, memory: event.memory && content.withContent(event.memory as Memory) }))
    },
    onNotice: note,
    signal: ending.signal,
  })
}

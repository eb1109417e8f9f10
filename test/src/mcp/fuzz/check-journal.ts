import { askGraphQL, dataOf } from '../../support/graphql.ts'
import type { Ledger } from './ledger.ts'

interface ShownEvent {
  readonly sequence: number
  readonly type: string
  readonly memoryId: string
  readonly version: number
  readonly changed: readonly string[]
  readonly memory: {
    readonly metadata: Readonly<Record<string, unknown>>
    /** Of a document; null elsewhere. */
    readonly part: { readonly number: number } | null
  } | null
}

/**
 * Compares the journal of a project with what its clients were told: each write is there once, what was refused is not there, and
 * what nobody knows of at most once.
 * @returns what is wrong, in words
 */
export async function checkJournal(
  at: { readonly url: string; readonly apiKey: string },
  { told, marks }: Ledger,
): Promise<string[]> {
  const events = await readJournal(at)
  const faults: string[] = []
  const places = new Map(events.map((event) => [`${event.memoryId}/${event.version}`, event]))
  for (const { memoryId, version, of } of told)
    if (!places.has(`${memoryId}/${version}`))
      faults.push(`told of ${memoryId} version ${version}, which is not in the journal: ${of}`)
  const written = new Map<string, number>()
  for (const { type, changed, memory } of events) {
    const writes = type === 'MemoryRemembered' || (type === 'MemoryRevised' && changed.includes('metadata'))
    const mark = memory?.metadata['mark']
    // What a document's first part is given, the others get too.
    if (writes && (memory?.part?.number ?? 1) === 1 && typeof mark === 'string')
      written.set(mark, (written.get(mark) ?? 0) + 1)
  }
  for (const [mark, known] of marks) {
    const times = written.get(mark) ?? 0
    const [least, most] = known === 'told' ? [1, 1] : known === 'refused' ? [0, 0] : [0, 1]
    if (times < least || times > most)
      faults.push(`${mark} was ${known}, and is in the journal ${times} times`)
  }
  for (const [at_, { sequence }] of events.entries())
    if (sequence !== at_ + 1) return [...faults, `the journal goes from ${at_} to ${sequence}`]
  return faults
}

async function readJournal(at: { readonly url: string; readonly apiKey: string }): Promise<ShownEvent[]> {
  const query = `query ($after: Int!) {
    journal(after: $after, first: 500) { sequence type memoryId version changed memory { metadata part { number } } }
  }`
  const events: ShownEvent[] = []
  for (;;) {
    const after = events.at(-1)?.sequence ?? 0
    const { journal } = dataOf(
      await askGraphQL<{ journal: ShownEvent[] }>(at, { query, variables: { after } }),
    )
    if (journal.length === 0) return events
    events.push(...journal)
  }
}

import { succeeded } from '../../reindex/operations.ts'
import { dataOf } from '../../support/graphql.ts'
import type { Random } from '../../support/random.ts'
import { type Ledger, plainId, type Write } from './ledger.ts'
import type { Network } from './network.ts'
import type { ChaosNode } from './node.ts'
import { search } from './operations.ts'
import { readJournalOf, type Told } from './read-journals.ts'
import { someWord } from './writers.ts'

/** A conflict as the API lists it. */
interface Conflict {
  readonly id: string
  readonly code: string
  readonly resolution: string | null
  readonly command: {
    readonly type: string
    readonly id: string
    readonly input?: { readonly metadata?: { readonly mark?: string } | null }
  }
}

/** Searches that must be answered alike. */
const SEARCHES = 6
const MOST_NAMED = 40

/** Compares all daemons with each other and with what their writers know. @returns every difference in words */
export async function check(network: Network, ledger: Ledger, random: Random): Promise<string[]> {
  const { nodes, home } = network
  const journals = await Promise.all(nodes.map(readJournalOf))
  const journal = journals[home] ?? []
  const conflicts = (await Promise.all(nodes.map(listConflicts))).flat()
  ledger.counts.conflicts = conflicts.length
  const found = [
    ...ledger.complaints.splice(0),
    ...journals.flatMap((one, index) => compareJournals(journal, one, index)),
    ...checkOrder(journal),
    ...checkWrites(journal, conflicts, ledger),
    ...checkDoubles(journal),
    ...checkConflicts(journal, conflicts, ledger),
    ...(await Promise.all(nodes.map(verify))).flat(),
  ]
  // Different journals have different hits, and that is said already.
  if (found.length === 0) found.push(...(await compareSearches(nodes, random)))
  return found.length > MOST_NAMED
    ? [...found.slice(0, MOST_NAMED), `and ${found.length - MOST_NAMED} more`]
    : found
}

function compareJournals(journal: readonly Told[], other: readonly Told[], index: number): string[] {
  const differs = journal.findIndex(({ hash }, at) => other[at]?.hash !== hash)
  if (differs === -1 && journal.length === other.length) return []
  return [
    `daemon ${index} has ${other.length} events, the home ${journal.length}; they differ from ${differs + 1} on`,
  ]
}

function checkOrder(journal: readonly Told[]): string[] {
  const versions = new Map<string, number>()
  return journal.flatMap(({ sequence, memoryId, version }, index) => {
    const before = versions.get(memoryId) ?? 0
    versions.set(memoryId, version)
    return sequence === index + 1 && version === before + 1
      ? []
      : [
          `event ${sequence} is version ${version} of ${memoryId}, after ${index} events and version ${before}`,
        ]
  })
}

const markOf = (event: Told | undefined): string | null => event?.data?.state.metadata?.mark ?? null

/** Events in which a write with a mark arrived: the mark is not that of the version before. */
function arrivals(journal: readonly Told[]): Map<string, Told[]> {
  const marks = new Map<string, string | null>()
  const found = new Map<string, Told[]>()
  for (const event of journal) {
    const mark = markOf(event)
    const before = marks.get(event.memoryId) ?? null
    marks.set(event.memoryId, mark)
    if (event.type !== 'MemoryRemembered' && event.type !== 'MemoryRevised') continue
    // Each part of a document has the document's metadata.
    if (mark !== null && mark !== before && !isPart(event))
      found.set(mark, [...(found.get(mark) ?? []), event])
  }
  return found
}

const isPart = ({ data }: Told): boolean =>
  ((data?.state as { part?: { number: number } } | undefined)?.part?.number ?? 1) > 1

/** What was acknowledged is in the journal, or is listed as a conflict; what was refused at once is not in it. */
function checkWrites(
  journal: readonly Told[],
  conflicts: readonly Conflict[],
  { writes, erased, hasMoved }: Ledger,
): string[] {
  const own = new Set(
    journal.flatMap(({ idempotencyKeys }) => (idempotencyKeys.length === 1 ? [idempotencyKeys[0]?.key] : [])),
  )
  const arrived = arrivals(journal)
  const keys = new Set(journal.flatMap(({ idempotencyKeys }) => idempotencyKeys.map(({ key }) => key)))
  const listed = new Set(
    conflicts.map(({ command }) => nameOf(command.type, command.input?.metadata?.mark, command.id)),
  )
  return writes.flatMap((one) => {
    const { mark, key, memoryId, outcome, type } = one
    const isThere = (mark !== null && arrived.has(mark)) || (key !== null && keys.has(key))
    if (isThere) one.found ??= mark !== null || own.has(key ?? '') ? 'event' : 'nothing'
    const [event] = arrived.get(mark ?? '') ?? []
    if (type === 'note' && outcome === 'acknowledged' && event !== undefined && event.memoryId !== memoryId)
      return [`${inWords(one)} was acknowledged, and is in the journal as ${event.memoryId}`]
    if (outcome === 'refused')
      return isThere && one.attempts === 1 ? [`${inWords(one)} was refused, and is in the journal`] : []
    if (outcome !== 'acknowledged' || isThere) return []
    if (memoryId !== null && erased.has(memoryId)) return []
    if (mark === null && hasMoved && one.found !== 'event') return []
    if (listed.has(nameOf(type, mark, memoryId))) return []
    return [`${inWords(one)} was acknowledged, and is neither in the journal nor a conflict`]
  })
}

const nameOf = (type: string, mark: string | null | undefined, id: string | null): string =>
  mark == null ? `${type} ${id === null ? '' : plainId(id)}` : `mark ${mark}`

const inWords = (one: Write): string =>
  `${one.type} ${one.mark ?? ''} at ${one.node} (key ${one.key}, memory ${one.memoryId}, ${one.shared ? 'shared' : 'branch'}, sent ${one.attempts} times)`

function checkDoubles(journal: readonly Told[]): string[] {
  return [...arrivals(journal)].flatMap(([mark, events]) =>
    events.length === 1
      ? []
      : [
          `the write ${mark} is in the journal ${events.length} times: ${events
            .map(
              ({ sequence, type, memoryId, idempotencyKeys }) =>
                `${sequence} ${type} ${memoryId} ${JSON.stringify(idempotencyKeys.map(({ key }) => key))}`,
            )
            .join(', ')}`,
        ],
  )
}

/** A revision of a version that had changed meanwhile is listed, even where the latest wins. */
function checkConflicts(
  journal: readonly Told[],
  conflicts: readonly Conflict[],
  { writes, counts, erased }: Ledger,
): string[] {
  const arrived = arrivals(journal)
  const versions = new Map(journal.map((event) => [`${event.memoryId}/${event.version}`, event]))
  const listed = new Set(conflicts.flatMap(({ command }) => command.input?.metadata?.mark ?? []))
  return writes.flatMap((one) => {
    const event = one.mark === null ? undefined : arrived.get(one.mark)?.[0]
    if (one.base === null || event === undefined || one.outcome !== 'acknowledged') return []
    if (erased.has(event.memoryId)) return []
    const before = versions.get(`${event.memoryId}/${event.version - 1}`)
    if (markOf(before) === one.base.mark) return []
    counts.conflictsExpected += 1
    return listed.has(one.mark ?? '')
      ? []
      : [
          `${inWords(one)} was made on ${one.base.mark} (version ${one.base.version}), stands on ${markOf(before)} as version ${event.version}, and is no conflict`,
        ]
  })
}

const CONFLICTS = `query ($after: ID) { syncConflicts(first: 100, after: $after, resolved: true) { id code resolution command } }`

async function listConflicts({ daemon }: ChaosNode): Promise<Conflict[]> {
  const all: Conflict[] = []
  for (;;) {
    const { syncConflicts } = dataOf(
      await daemon.graphql<{ syncConflicts: Conflict[] }>({
        query: CONFLICTS,
        variables: { after: all.at(-1)?.id ?? null },
      }),
    )
    if (syncConflicts.length === 0) return all
    all.push(...syncConflicts)
  }
}

async function verify({ index, daemon }: ChaosNode): Promise<string[]> {
  const problems: string[] = []
  for (const field of [
    'verifyJournal(project: "default")',
    'verify(projection: PGVECTOR, project: "default")',
  ])
    try {
      const { result } = await succeeded(daemon, field)
      const wrong = Object.entries(result ?? {}).filter(
        ([name, value]) => /problems|different|missing|unexpected|differ/iu.test(name) && value !== 0,
      )
      if (wrong.length > 0)
        problems.push(`${field} at ${index} found ${JSON.stringify(result).slice(0, 600)}`)
    } catch (error) {
      problems.push(`${field} at ${index}: ${String(error)}`)
    }
  return problems
}

interface Hits {
  readonly search: { readonly hits: readonly { readonly memory: { id: string; version: number } }[] }
}

async function compareSearches(nodes: readonly ChaosNode[], random: Random): Promise<string[]> {
  const problems: string[] = []
  for (let times = 0; times < SEARCHES; times += 1) {
    const query = `${someWord(random)} ${someWord(random)}`
    const answers = await Promise.all(
      nodes.map(async ({ daemon }) =>
        JSON.stringify(
          dataOf(await daemon.graphql<Hits>(search(query))).search.hits.map(({ memory }) => memory),
        ),
      ),
    )
    const other = answers.findIndex((answer) => answer !== answers[0])
    if (other !== -1)
      problems.push(`"${query}" finds ${answers[0]} at 0, and ${answers[other]} at ${other}`.slice(0, 1_500))
  }
  return problems
}

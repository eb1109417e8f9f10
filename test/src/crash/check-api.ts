import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../support/child-process.ts'
import { type Api, dataOf } from '../support/graphql.ts'
import type { Acknowledgement } from './ledger.ts'

interface ProjectionStatus {
  readonly name: string
  readonly head: number
  readonly lag: number
  readonly parked: number
}

/** A memory as the API returned it after the clients had stopped. */
export interface ShownMemory {
  readonly id: string
  readonly version: number
  readonly sequence: number
  readonly text: string
  readonly forgottenAt: string | null
}

/** What the API returned, to compare with the journal. */
export interface Shown {
  readonly head: number
  readonly memories: readonly ShownMemory[]
  readonly differences: readonly string[]
}

/**
 * How long catching up may take, in milliseconds. After an unanswered call to Typesense a project first waits
 * some 35 s for its lease.
 */
const CATCH_UP_MS = HANGS_MS
/** Below the gateway's limit of aliases. */
const MEMORIES_A_QUERY = 25

/**
 * Checks what users see: the projections catch up with nothing parked, the journal has this round's
 * acknowledged results, and their memories can be read.
 */
export async function checkApi(
  api: Api,
  acknowledgements: readonly Acknowledgement[],
  sampled: readonly string[],
): Promise<Shown> {
  const { head, differences } = await untilCaughtUp(api)
  differences.push(...(await checkShownJournal(api, head, acknowledgements)))
  const memories: ShownMemory[] = []
  for (let from = 0; from < sampled.length; from += MEMORIES_A_QUERY) {
    const ids = sampled.slice(from, from + MEMORIES_A_QUERY)
    const shown = await readMemories(api, ids, head)
    for (const [index, memory] of shown.entries())
      if (memory === null) differences.push(`the acknowledged memory ${ids[index]} cannot be read`)
      else memories.push(memory)
  }
  return { head, memories, differences }
}

async function untilCaughtUp(api: Api): Promise<{ head: number; differences: string[] }> {
  const query = '{ projections { name head lag parked } }'
  for (const deadline = Date.now() + CATCH_UP_MS; ; await pause(25)) {
    const { projections } = dataOf(await api.graphql<{ projections: ProjectionStatus[] }>({ query }))
    const behind = projections.filter((one) => one.lag > 0)
    const head = projections[0]?.head ?? 0
    if (behind.length > 0 && Date.now() < deadline) continue
    const parked = projections.filter((one) => one.parked > 0)
    return {
      head,
      differences: [
        ...behind.map((one) => `${one.name} is still ${one.lag} behind after ${CATCH_UP_MS / 1000} s`),
        ...parked.map((one) => `${one.name} has parked ${one.parked} events`),
      ],
    }
  }
}

interface ShownEvent {
  readonly sequence: number
  readonly memoryId: string
  readonly version: number
  readonly memory: { readonly text: string }
}

async function checkShownJournal(
  api: Api,
  head: number,
  acknowledgements: readonly Acknowledgement[],
): Promise<string[]> {
  if (acknowledgements.length === 0) return []
  const first = Math.min(...acknowledgements.map((one) => one.sequence))
  const query = `query ($after: Int!) {
    journal(after: $after, first: 500) { sequence memoryId version memory { text } }
  }`
  const events = new Map<number, ShownEvent>()
  const differences: string[] = []
  for (let after = first - 1; after < head; ) {
    const { journal } = dataOf(await api.graphql<{ journal: ShownEvent[] }>({ query, variables: { after } }))
    if (journal.length === 0) return [`the API's journal ends at ${after}, its head is ${head}`]
    for (const event of journal) {
      if (event.sequence !== after + 1)
        differences.push(`the API's journal goes from ${after} to ${event.sequence}`)
      after = event.sequence
      events.set(event.sequence, event)
    }
  }
  for (const one of acknowledgements) {
    const event = events.get(one.sequence)
    if (event?.memoryId !== one.memoryId || event.version !== one.version || event.memory.text !== one.text)
      differences.push(
        `acknowledged ${describe(one)}, but the API's journal has ${JSON.stringify(event)?.slice(0, 300)}`,
      )
  }
  return differences
}

async function readMemories(api: Api, ids: readonly string[], atLeast: number) {
  const variables = Object.fromEntries([['atLeast', atLeast], ...ids.map((id, index) => [`id${index}`, id])])
  const query = `query ($atLeast: Int!, ${ids.map((_, index) => `$id${index}: ID!`).join(', ')}) {
    ${ids.map((_, index) => `m${index}: memory(id: $id${index}, atLeast: $atLeast) { id version sequence text forgottenAt }`).join('\n')}
  }`
  const data = dataOf(await api.graphql<Record<string, ShownMemory | null>>({ query, variables }))
  return ids.map((_, index) => data[`m${index}`] ?? null)
}

/** An acknowledgement in words. */
export function describe(one: Acknowledgement): string {
  const key = one.idempotencyKey === null ? '' : ` under ${one.idempotencyKey}`
  return `${one.operation}${key}: sequence ${one.sequence}, ${one.memoryId} version ${one.version} "${one.text.slice(0, 80)}"`
}

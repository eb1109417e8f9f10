import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../../support/child-process.ts'
import { type GraphQLAnswer, TransportError } from '../../support/graphql.ts'
import { createRandom, derivedSeed, type Random } from '../../support/random.ts'
import { type Ledger, plainId, type Write } from './ledger.ts'
import type { Network } from './network.ts'
import type { ChaosNode } from './node.ts'
import {
  change,
  erase,
  type Input,
  indexDocument,
  type Operation,
  type Receipt,
  type Result,
  readMemory,
  remember,
  rememberMany,
  revise,
  type Shown,
} from './operations.ts'

/** What a writer needs. */
interface Writing {
  readonly network: Network
  readonly node: ChaosNode
  readonly ledger: Ledger
  readonly random: Random
  /** Unique during the run; marks and keys begin with it. */
  readonly name: string
  /** Aborted when nothing new is to begin. */
  readonly stop: AbortSignal
}

/** Refusals that random writes must expect; NOT_FOUND because another daemon's memory may not be here yet. */
const EXPECTED = new Set(['VERSION_CONFLICT', 'FORGOTTEN', 'VALIDATION', 'NOT_FOUND'])
/** Milliseconds in which a write that may be sent again must be answered. */
const PATIENCE_MS = HANGS_MS

/** Starts writers at every daemon. @returns ends them, once they know what came of their last writes */
export function startWriters(
  network: Network,
  ledger: Ledger,
  { seed, round, each }: { readonly seed: number; readonly round: number; readonly each: number },
): { stop(): Promise<void> } {
  const stop = new AbortController()
  const running = network.nodes.flatMap((node) =>
    Array.from({ length: each }, (_, index) =>
      write({
        network,
        node,
        ledger,
        random: createRandom(derivedSeed(seed, round, node.index, index)),
        name: `r${round}n${node.index}w${index}`,
        stop: stop.signal,
      }),
    ),
  )
  return {
    async stop() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

async function write(writing: Writing): Promise<void> {
  const { random, stop } = writing
  for (let count = 1; !stop.aborted; count += 1) {
    await oneWrite(writing, `${writing.name}-${count}`)
    await pause(random.between(5, 120), stop)
  }
}

async function oneWrite(writing: Writing, mark: string): Promise<void> {
  const { random, ledger } = writing
  const choice = random.next()
  if (choice < 0.3 || ledger.memories.length === 0) return newNote(writing, mark)
  if (choice < 0.38) return severalNotes(writing, mark)
  if (choice < 0.46) return stash(writing, mark)
  if (choice < 0.5) return document(writing, mark)
  if (choice < 0.72) return reviseSeen(writing, mark)
  if (choice < 0.82) return reviseUnseen(writing, mark)
  if (choice < 0.9) return forgetOrRestore(writing, 'forget', mark)
  if (choice < 0.99) return forgetOrRestore(writing, 'restore', mark)
  return eraseOne(writing)
}

const WORDS =
  'token cache index harbour orchard invoice deploy review tests schema retry window lantern river station compass winter bread piano garden'.split(
    ' ',
  )

/** A random word that many memories have. */
export const someWord = (random: Random): string => random.oneOf(WORDS)

const someText = (random: Random, mark: string): string =>
  `${mark} ${Array.from({ length: random.between(3, 20) }, () => someWord(random)).join(' ')}`

/** Mostly one of the newest, so that daemons compete for the same one. */
function someMemory({ random, ledger }: Writing, kind: string) {
  const known = ledger.memories.filter(({ id }) => id.startsWith(kind) && !ledger.erased.has(plainId(id)))
  return known.length === 0 ? null : random.oneOf(random.chance(0.7) ? known.slice(-15) : known)
}

function newWrite({ ledger, node }: Writing, given: Partial<Write> & Pick<Write, 'type'>): Write {
  const one: Write = {
    mark: null,
    key: null,
    node: node.index,
    memoryId: null,
    base: null,
    outcome: 'under way',
    shared: false,
    attempts: 0,
    ...given,
  }
  ledger.writes.push(one)
  return one
}

function note(writing: Writing, mark: string, key: string | null): { input: Input; one: Write } {
  return {
    input: {
      content: { note: { text: someText(writing.random, mark) } },
      metadata: { mark },
      idempotencyKey: key,
    },
    one: newWrite(writing, { type: 'note', mark, key }),
  }
}

const maybeKey = (random: Random, mark: string): string | null => (random.chance(0.7) ? `key-${mark}` : null)

async function newNote(writing: Writing, mark: string): Promise<void> {
  const { random, ledger, network, node } = writing
  const before = { outages: node.outages, home: network.home }
  const { input, one } = note(writing, mark, maybeKey(random, mark))
  const [result] = await send(writing, remember(input), [one])
  if (result?.memory === undefined) return
  ledger.memories.push({ id: result.memory.id, erasable: random.chance(0.15) })
  if (random.chance(0.5)) await seesOwn(writing, result, before)
}

async function severalNotes(writing: Writing, mark: string): Promise<void> {
  const { random } = writing
  const notes = Array.from({ length: random.between(3, 30) }, (_, index) =>
    note(writing, `${mark}.${index}`, `key-${mark}.${index}`),
  )
  await send(
    writing,
    rememberMany(notes.map(({ input }) => input)),
    notes.map(({ one }) => one),
  )
}

async function stash(writing: Writing, mark: string): Promise<void> {
  const { random, ledger } = writing
  const key = maybeKey(random, mark)
  const one = newWrite(writing, { type: 'remember', mark, key })
  const name = `stash ${random.between(0, 12)}`
  const asked = remember({
    content: { stash: { name, summary: someText(random, mark) } },
    metadata: { mark },
    idempotencyKey: key,
  })
  const [result] = await send(writing, asked, [one])
  if (result?.memory !== undefined && result.memory.version === 1)
    ledger.memories.push({ id: result.memory.id, erasable: false })
}

async function document(writing: Writing, mark: string): Promise<void> {
  const { random } = writing
  const key = `key-${mark}`
  const one = newWrite(writing, { type: 'remember', mark, key })
  // From 64 KiB on a document has several parts.
  const times = random.chance(0.25) ? random.between(1, 4) * 1_200 : 1
  const content = Array.from({ length: times }, (_, line) => `${line} ${someText(random, mark)}`).join('\n')
  const asked = { id: `document ${random.between(0, 4)}`, content, metadata: { mark }, key }
  await send(writing, indexDocument(asked), [one])
}

/** As agents should: reads first, and says which version it saw. */
async function reviseSeen(writing: Writing, mark: string): Promise<void> {
  const { node, random } = writing
  const known = someMemory(writing, 'note')
  if (known === null) return
  const seen = await read(node, known.id)
  if (seen === null) return
  const { version, metadata } = seen
  const key = maybeKey(random, mark)
  const one = newWrite(writing, {
    type: 'revise',
    mark,
    key,
    memoryId: plainId(known.id),
    base: { version, mark: metadata?.mark ?? null },
  })
  const input = { content: { note: { text: someText(random, mark) } }, metadata: { mark } }
  await send(writing, revise({ id: known.id, input, expectedVersion: version, key }), [one])
}

async function reviseUnseen(writing: Writing, mark: string): Promise<void> {
  const { random } = writing
  const known = someMemory(writing, 'note')
  if (known === null) return
  const key = maybeKey(random, mark)
  const one = newWrite(writing, { type: 'revise', mark, key, memoryId: plainId(known.id) })
  const input = { content: { note: { text: someText(random, mark) } }, metadata: { mark } }
  await send(writing, revise({ id: known.id, input, expectedVersion: null, key }), [one])
}

async function forgetOrRestore(writing: Writing, type: 'forget' | 'restore', mark: string): Promise<void> {
  const known = someMemory(writing, writing.random.chance(0.3) ? 'stash' : 'note')
  if (known === null) return
  const key = `key-${mark}`
  const one = newWrite(writing, { type, key, memoryId: plainId(known.id) })
  await send(writing, change(type, { id: known.id, key }), [one])
}

/**
 * May fail while the home is out of reach: an erasure is never put off. BEHIND: it is done, and the index is not there yet.
 * DIVERGED: it was done at a home that was lost. DEADLINE: nobody knows yet, on a machine with too much to do.
 */
async function eraseOne({ network, node, random, ledger }: Writing): Promise<void> {
  const erasable = ledger.memories.filter(({ id, erasable: can }) => can && !ledger.erased.has(plainId(id)))
  if (erasable.length === 0) return
  const { id } = random.oneOf(erasable)
  ledger.erased.add(plainId(id))
  const { outages } = node
  const { home } = network
  try {
    const { data, errors } = await node.daemon.graphql<{ done: Result }>(erase(id).request)
    if (data?.done?.__typename === 'Erased') ledger.counts.erasures += 1
    const code = data?.done?.code ?? errors[0]?.extensions?.code
    const isLost = code === 'DIVERGED' && (network.home !== home || network.isMoving)
    if (
      code !== undefined &&
      !isLost &&
      !['NOT_FOUND', 'UNAVAILABLE', 'BEHIND', 'DEADLINE'].includes(code) &&
      node.outages === outages
    )
      ledger.complaints.push(`erase at ${node.index} was answered with ${JSON.stringify({ data, errors })}`)
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
  }
}

/** Sends a write until it is answered, if all of it has keys; at times again, through another daemon too. */
async function send(
  writing: Writing,
  asked: Operation,
  writes: readonly Write[],
): Promise<readonly (Result | null)[]> {
  const { ledger, node, network, random } = writing
  const repeatable = writes.every(({ key }) => key !== null)
  const results = await untilAnswered(writing, asked, writes, repeatable)
  for (const [index, one] of writes.entries()) settle(ledger, one, results?.[index] ?? null)
  if (results === null) return []
  if (repeatable && random.chance(0.15) && writes.every(({ outcome }) => outcome === 'acknowledged')) {
    const other = random.oneOf(network.nodes)
    await again(ledger, other, asked)
    if (random.chance(0.3)) await again(ledger, node, asked)
  }
  return results
}

function settle(ledger: Ledger, one: Write, result: Result | null): void {
  if (result === null) one.outcome = 'unknown'
  else if (result.memory !== undefined) {
    one.outcome = 'acknowledged'
    one.memoryId = plainId(result.memory.id)
    one.shared = result.memory.shared
    ledger.counts.acknowledged += 1
    if (!one.shared) ledger.counts.offline += 1
  } else {
    one.outcome = 'refused'
    ledger.counts.refused += 1
    if (!EXPECTED.has(result.code ?? ''))
      ledger.complaints.push(`${one.type} at ${one.node} was answered with ${JSON.stringify(result)}`)
  }
}

/** The same write under the same key. Whatever comes of it, it must not be another request. */
async function again(ledger: Ledger, node: ChaosNode, asked: Operation): Promise<void> {
  try {
    const answer = await node.daemon.graphql<Record<string, unknown>>(asked.request)
    for (const result of asked.resultsOf(answer))
      if (result?.code !== undefined && !EXPECTED.has(result.code))
        ledger.complaints.push(`sent again at ${node.index}, it was answered with ${JSON.stringify(result)}`)
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
  }
}

/** @returns null if the outcome is not known */
async function untilAnswered(
  { node, ledger, random }: Writing,
  asked: Operation,
  writes: readonly Write[],
  repeatable: boolean,
): Promise<readonly (Result | null)[] | null> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    while (!node.up && Date.now() < deadline) await pause(random.between(20, 60))
    for (const one of writes) one.attempts += 1
    const { outages } = node
    const begun = performance.now()
    try {
      const answer = await node.daemon.graphql<Record<string, unknown>>(asked.request)
      const took = performance.now() - begun
      ledger.counts.slowestWriteMs = Math.max(ledger.counts.slowestWriteMs, Math.round(took))
      if (isFinal(answer)) {
        if (answer.errors.length === 0) return asked.resultsOf(answer)
        ledger.complaints.push(
          `a write at ${node.index} was answered with ${JSON.stringify(answer.errors).slice(0, 400)}`,
        )
        return null
      }
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      if (node.outages === outages && node.up)
        ledger.complaints.push(`a write at ${node.index}, which was up, was not answered: ${error.message}`)
    }
    if (!repeatable) return null
    ledger.counts.retried += 1
    await pause(random.between(20, 200))
  }
  ledger.complaints.push(`a write at ${node.index} was not answered within ${PATIENCE_MS / 1_000} s`)
  return null
}

const RETRYABLE = new Set(['UNAVAILABLE', 'OUTCOME_UNKNOWN'])

const isFinal = (answer: GraphQLAnswer<unknown>): boolean =>
  !answer.errors.some(
    ({ extensions }) => extensions?.retryable === true || RETRYABLE.has(extensions?.code ?? ''),
  )

/** The memory at a daemon; null if it is not there, or the daemon is not. */
async function read(node: ChaosNode, id: string): Promise<Shown | null> {
  try {
    const answer = await node.daemon.graphql<{ memory: Shown | null }>(readMemory(id, null))
    return answer.data?.memory ?? null
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return null
  }
}

/**
 * Milliseconds until a daemon must show what it has acknowledged, also if the home was frozen or lost just then. On two cores with a
 * load of 20, a projection that goes back over 700 events took 50 s; it says BEHIND until then.
 */
const SHOWN_MS = HANGS_MS

/**
 * What a daemon has acknowledged, it shows; until it can, it says that it is behind. The place of a provisional event is given
 * to another once the branch is made again: then it is shown without waiting.
 */
async function seesOwn(
  { network, node, ledger }: Writing,
  { memory, sequence = 0, hash = '' }: Result,
  { outages, home }: { readonly outages: number; readonly home: number },
): Promise<void> {
  if (memory === undefined) return
  const said: string[] = []
  const look = async (receipt: Receipt | null): Promise<boolean> => {
    const { data, errors } = await node.daemon.graphql<{ memory: Shown | null }>(
      readMemory(memory.id, receipt),
    )
    said.push(errors[0]?.extensions?.code ?? 'nothing')
    return data?.memory != null
  }
  // What only a lost home had is not here until that one comes back.
  const isGone = () =>
    ledger.erased.has(plainId(memory.id)) ||
    node.outages !== outages ||
    network.isMoving ||
    network.home !== home
  try {
    for (const deadline = Date.now() + SHOWN_MS; ; await pause(100)) {
      if (await look({ sequence, hash })) return
      // A provisional receipt may be taken for a shared one: its event may have arrived at its place before the answer.
      if ((!memory.shared || said.at(-1) === 'DIVERGED') && (await look(null))) return
      if (isGone()) return
      if (Date.now() < deadline && said.includes('BEHIND')) continue
      ledger.complaints.push(
        `daemon ${node.index} has acknowledged ${memory.id} at ${sequence} (${memory.shared ? 'shared' : 'branch'}), and does not show it: ${said.slice(-4).join(', ')}`,
      )
      return
    }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
  }
}

import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../support/child-process.ts'
import { type Api, type GraphQLAnswer, TransportError } from '../support/graphql.ts'
import { createRandom, derivedSeed, type Random } from '../support/random.ts'
import { type Acknowledgement, acknowledge, type Ledger, type SentRequest } from './ledger.ts'
import {
  forget,
  type MutationResult,
  type Operation,
  type RememberInput,
  remember,
  rememberMany,
  restore,
  revise,
} from './operations.ts'

/** What a client needs. */
interface ClientOptions {
  readonly api: Api
  readonly ledger: Ledger
  readonly random: Random
  /** Unique during the data folder's life; marks and keys begin with it. */
  readonly name: string
  /** Aborted when the client must begin nothing new. It still finds out the result of its last request. */
  readonly stop: AbortSignal
  /** Aborted when waiting for answers is hopeless. */
  readonly giveUp: AbortSignal
}

/** Whether an answer tells the outcome. Otherwise the outcome is unknown. */
const isFinal = (answer: GraphQLAnswer<unknown>) =>
  !answer.errors.some(
    ({ extensions }) => extensions?.retryable === true || extensions?.code === 'UNAVAILABLE',
  )

/** Refusals that random operations must expect. Every other failure is a complaint. */
const EXPECTED_REFUSALS = new Set(['VERSION_CONFLICT', 'FORGOTTEN', 'VALIDATION'])

/** The clients of one round. */
export interface Clients {
  /**
   * Ends the clients. They begin nothing new, but still find out the results of their last requests.
   * @param giveUpMs how long they may take for that, in milliseconds. Default four minutes: by then everything has
   *   long been up again
   * @returns what was wrong with the answers
   */
  stop(giveUpMs?: number): Promise<string[]>
}

/** What the clients of one round need. */
export interface ClientsOptions {
  readonly api: Api
  readonly ledger: Ledger
  readonly clients: number
  readonly seed: number
  /** Unique during the data folder's life. */
  readonly round: number
}

/** Starts the clients of one round. */
export function startClients({ api, ledger, clients, seed, round }: ClientsOptions): Clients {
  const stop = new AbortController()
  const giveUp = new AbortController()
  const running = Array.from({ length: clients }, (_, index) =>
    runClient({
      api,
      ledger,
      random: createRandom(derivedSeed(seed, round, index)),
      name: `r${round}c${index}`,
      stop: stop.signal,
      giveUp: giveUp.signal,
    }),
  )
  return {
    async stop(giveUpMs = HANGS_MS) {
      stop.abort()
      const timer = setTimeout(() => giveUp.abort(), giveUpMs)
      await Promise.all(running)
      clearTimeout(timer)
      const late = giveUp.signal.aborted ? ['a client got no final answer in four minutes'] : []
      return [...late, ...ledger.complaints.splice(0)]
    },
  }
}

/**
 * Runs one agent: random operations in sequence, as fast as answers come. It repeats operations with an
 * idempotency key until there is an answer. It does not repeat one without a key after a failure, because it
 * may have taken effect.
 */
async function runClient(options: ClientOptions): Promise<void> {
  const { random, stop } = options
  for (let count = 1; !stop.aborted; count += 1) {
    await oneOperation(options, `${options.name}-${count}`)
    if (random.chance(0.3)) await pause(random.between(1, 20), stop)
  }
}

async function oneOperation(options: ClientOptions, mark: string): Promise<void> {
  const { random, ledger } = options
  const memory = ledger.memories.size === 0 ? null : chooseMemory(options)
  const choice = random.next()
  if (memory === null || choice < 0.3) return rememberOne(options, mark)
  if (choice < 0.37) return rememberSeveral(options, mark, random.between(2, 12))
  // With large ones, more time passes between the commit and the answer, and between the commit and the
  // index.
  if (choice < 0.4) return rememberSeveral(options, mark, random.between(50, 200))
  if (choice < 0.7) return reviseOne(options, mark, memory)
  if (choice < 0.8) return forgetOne(options, memory)
  if (choice < 0.93) return restoreOne(options, memory)
  return reuseKey(options, mark)
}

interface Chosen {
  readonly id: string
  readonly version: number
  readonly forgotten: boolean
}

/** Chooses mostly one of the newest memories, so that clients compete for the same one. */
function chooseMemory({ random, ledger }: ClientOptions): Chosen {
  const ids = [...ledger.memories.keys()]
  const id = random.oneOf(random.chance(0.7) ? ids.slice(-20) : ids)
  return { id, ...(ledger.memories.get(id) ?? { version: 1, forgotten: false }) }
}

const WORDS =
  'token cache index harbour orchard invoice deploy review tests schema retry window lantern river station compass winter bread piano garden letter'.split(
    ' ',
  )

function someText(random: Random, mark: string): string {
  const words = random.chance(0.05) ? random.between(200, 500) : random.between(3, 25)
  const body = Array.from({ length: words }, () => random.oneOf(WORDS)).join(' ')
  return `${mark} ${body}${random.chance(0.1) ? ` "quoted" 'it''s' \\ 日本 🧭` : ''}`
}

function newRequest({ ledger, random }: ClientOptions, mark: string, keyShare = 0.6): SentRequest {
  const request: SentRequest = {
    mark,
    text: someText(random, mark),
    idempotencyKey: random.chance(keyShare) ? `key-${mark}` : null,
    outcome: 'under way',
  }
  ledger.requests.set(mark, request)
  return request
}

function inputOf({ random }: ClientOptions, { mark, text, idempotencyKey }: SentRequest): RememberInput {
  return {
    content: { note: { text } },
    context: random.chance(0.5) ? `conversation-${random.between(1, 4)}` : null,
    labels: random.chance(0.5) ? [random.oneOf(WORDS)] : [],
    metadata: { mark },
    idempotencyKey,
  }
}

async function rememberOne(options: ClientOptions, mark: string): Promise<void> {
  const request = newRequest(options, mark)
  await settle(options, 'remember', remember(inputOf(options, request)), [request])
}

async function rememberSeveral(options: ClientOptions, mark: string, size: number): Promise<void> {
  const { random } = options
  // Either all have keys or none: the whole call can be repeated only if all have one.
  const keyShare = random.chance(0.6) ? 1 : 0
  const requests = Array.from({ length: size }, (_, index) =>
    newRequest(options, `${mark}.${index}`, keyShare),
  )
  await settle(
    options,
    'remember',
    rememberMany(requests.map((request) => inputOf(options, request))),
    requests,
  )
}

async function reviseOne(options: ClientOptions, mark: string, memory: Chosen): Promise<void> {
  const request = newRequest(options, mark)
  const expectedVersion = options.random.chance(0.5) ? memory.version : null
  const operation = revise({
    id: memory.id,
    text: request.text,
    mark,
    expectedVersion,
    key: request.idempotencyKey,
  })
  const [acknowledged] = await settle(options, 'revise', operation, [request])
  checkExpected(options, acknowledged, expectedVersion)
}

async function forgetOne(options: ClientOptions, memory: Chosen): Promise<void> {
  const expectedVersion = options.random.chance(0.5) ? memory.version : null
  await settle(options, 'forget', forget({ id: memory.id, expectedVersion }), [null])
}

async function restoreOne(options: ClientOptions, memory: Chosen): Promise<void> {
  const { random } = options
  const version = memory.forgotten && random.chance(0.5) ? null : random.between(1, memory.version)
  const expectedVersion = random.chance(0.5) ? memory.version : null
  await settle(options, 'restore', restore({ id: memory.id, version, expectedVersion }), [null])
}

/** Sends another request under a used key. It must be refused, and write nothing. */
async function reuseKey(options: ClientOptions, mark: string): Promise<void> {
  const { ledger, random } = options
  const used = ledger.acknowledgements.slice(-50).filter((one) => one.idempotencyKey !== null)
  if (used.length === 0) return
  const first = random.oneOf(used)
  const request: SentRequest = { ...newRequest(options, mark, 0), idempotencyKey: first.idempotencyKey }
  ledger.requests.set(mark, request)
  const answer = await askUntilFinal(options, remember(inputOf(options, request)), true)
  const result = (answer?.data?.remember ?? null) as MutationResult | null
  request.outcome = result === null ? 'unknown' : 'refused'
  if (result !== null && result.code !== 'IDEMPOTENCY_CONFLICT')
    ledger.complaints.push(
      `another request under the used key ${first.idempotencyKey} got ${JSON.stringify(result)}`,
    )
}

function checkExpected(
  { ledger }: ClientOptions,
  acknowledged: Acknowledgement | undefined,
  expectedVersion: number | null,
): void {
  if (acknowledged === undefined || expectedVersion === null) return
  if (acknowledged.version !== expectedVersion + 1)
    ledger.complaints.push(
      `a revision expecting version ${expectedVersion} was acknowledged as version ${acknowledged.version} (sequence ${acknowledged.sequence})`,
    )
}

/**
 * Sends an operation and notes its results.
 * @param requests parallel to the results; null for those without a mark
 */
async function settle(
  options: ClientOptions,
  operation: Acknowledgement['operation'],
  asked: Operation,
  requests: readonly (SentRequest | null)[],
): Promise<Acknowledgement[]> {
  const { ledger } = options
  const repeatable = requests.every((request) => request !== null && request.idempotencyKey !== null)
  const answer = await askUntilFinal(options, asked, repeatable)
  const results = answer === null ? null : asked.resultsOf(answer)
  return requests.flatMap((request, index) => {
    const result = results?.[index] ?? null
    const acknowledged = result === null ? null : acknowledgementOf(operation, request, result)
    if (request !== null)
      request.outcome = result === null ? 'unknown' : acknowledged === null ? 'refused' : 'acknowledged'
    if (acknowledged !== null) {
      acknowledge(ledger, acknowledged)
      return [acknowledged]
    }
    if (result !== null && !EXPECTED_REFUSALS.has(result.code ?? ''))
      ledger.complaints.push(`${operation} was answered with ${JSON.stringify(result)}`)
    return []
  })
}

function acknowledgementOf(
  operation: Acknowledgement['operation'],
  request: SentRequest | null,
  { memory, sequence, duplicate = false }: MutationResult,
): Acknowledgement | null {
  if (memory === undefined || sequence === undefined) return null
  return {
    operation,
    memoryId: memory.id,
    sequence,
    version: memory.version,
    text: memory.text,
    forgotten: memory.forgottenAt !== null,
    duplicate,
    idempotencyKey: request?.idempotencyKey ?? null,
  }
}

/** Asks until there is a final answer. @returns null if there is none */
async function askUntilFinal(
  options: ClientOptions,
  { request }: Operation,
  repeatable: boolean,
): Promise<GraphQLAnswer<Record<string, unknown>> | null> {
  const { api, ledger, random, giveUp } = options
  for (let attempt = 0; !giveUp.aborted; attempt += 1) {
    while (!api.running() && !giveUp.aborted) await pause(random.between(10, 50), giveUp)
    if (attempt > 0) ledger.retried += 1
    try {
      const answer = await api.graphql<Record<string, unknown>>(request)
      // Without a key it must not be repeated; the journal tells the outcome. With a key this error must not
      // occur.
      if (!repeatable && answer.errors.some(({ extensions }) => extensions?.code === 'OUTCOME_UNKNOWN'))
        return null
      if (isFinal(answer)) {
        if (answer.errors.length > 0)
          ledger.complaints.push(
            `an operation was answered with ${JSON.stringify(answer.errors).slice(0, 500)}`,
          )
        return answer
      }
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
    }
    if (!repeatable) return null
    await pause(random.between(20, 150), giveUp)
  }
  return null
}

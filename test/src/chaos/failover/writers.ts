import { pause } from '@daybook/runtime/backoff'
import { type Operation, remember, revise } from '../../crash/operations.ts'
import { HANGS_MS } from '../../support/child-process.ts'
import type { Api } from '../../support/graphql.ts'
import { TransportError } from '../../support/graphql.ts'
import type { Random } from '../../support/random.ts'

/** A write that the API acknowledged. Times are milliseconds since 1970, by this process's clock. */
export interface Receipt {
  readonly sentAt: number
  readonly answeredAt: number
  readonly memoryId: string
  readonly version: number
  readonly sequence: number
  readonly hash: string
  readonly text: string
}

/** Agents that write as fast as they get answers, and collect their receipts. */
export interface Writers {
  readonly receipts: readonly Receipt[]
  /** Answers that a correct API does not give. */
  readonly complaints: readonly string[]
  /** They begin nothing new, find out the results of their last writes, and end. */
  stop(): Promise<void>
}

const WRITERS = 3
/** How long a writer tries to learn the result of its last write, in milliseconds. */
const GIVE_UP_MS = HANGS_MS
/** Errors that a revision must expect if a failover has lost the memory or its version. */
const LOST = new Set(['NOT_FOUND', 'FORGOTTEN', 'VERSION_CONFLICT'])

/** Starts the writers. @param name begins the marks of their writes */
export function startWriters({ api, random, name }: { api: Api; random: Random; name: string }): Writers {
  const receipts: Receipt[] = []
  const complaints: string[] = []
  const stopping = new AbortController()
  let deadline = Number.POSITIVE_INFINITY

  /**
   * Sends an operation under its key until there is a final answer.
   * @returns null if there is none in time
   */
  const untilAnswered = async ({ request, resultsOf }: Operation) => {
    while (Date.now() < deadline) {
      try {
        const answer = await api.graphql<Record<string, unknown>>(request)
        const again = answer.errors.some(({ extensions }) => extensions?.retryable === true)
        if (!again && answer.errors.length > 0) complaints.push(JSON.stringify(answer.errors).slice(0, 500))
        if (!again) return resultsOf(answer)?.[0] ?? null
      } catch (error) {
        if (!(error instanceof TransportError)) throw error
      }
      await pause(random.between(20, 100))
    }
    complaints.push(`a writer got no final answer within ${GIVE_UP_MS} ms`)
    return null
  }

  const write = async (writer: number): Promise<void> => {
    const own: string[] = []
    for (let count = 1; !stopping.signal.aborted; count += 1) {
      const mark = `${name}w${writer}n${count}`
      const text = `${mark} ${random.oneOf(['lantern', 'harbour', 'orchard', 'invoice'])} ${random.between(1, 1_000)}`
      const revised = own.length > 0 && random.chance(0.35) ? random.oneOf(own) : null
      const key = `key-${mark}`
      const operation =
        revised === null
          ? remember({
              content: { note: { text } },
              context: 'failover',
              labels: [],
              metadata: { mark },
              idempotencyKey: key,
            })
          : revise({ id: revised, text, mark, expectedVersion: null, key })
      const sentAt = Date.now()
      const result = await untilAnswered(operation)
      if (result?.memory !== undefined && result.sequence !== undefined && result.hash !== undefined) {
        const { id: memoryId, version } = result.memory
        if (revised === null) own.push(memoryId)
        receipts.push({
          sentAt,
          answeredAt: Date.now(),
          memoryId,
          version,
          sequence: result.sequence,
          hash: result.hash,
          text,
        })
      } else if (revised !== null && LOST.has(result?.code ?? '')) own.splice(own.indexOf(revised), 1)
      else if (result !== null) complaints.push(`a write was answered with ${JSON.stringify(result)}`)
    }
  }

  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  return {
    receipts,
    complaints,
    async stop() {
      stopping.abort()
      deadline = Date.now() + GIVE_UP_MS
      await writing
    },
  }
}

import type { CommittedEvent, EventMetadata, LinkedEvent } from '@daybook/memory/events'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import type { Metrics } from '@daybook/runtime/metrics'
import { currentTraceparent, inSpan } from '@daybook/runtime/trace-context'
import { type Erasure, eraseMemories } from '../erase/erase-contents.ts'
import type { Appended, AppendOutcome, AppendRequest } from './append-request.ts'
import {
  appendFailure,
  type CommittedBatch,
  CommitUnknown,
  commitAtKnownHead,
  commitBatch,
  needOnlyTheHead,
} from './commit-batch.ts'
import { createKnownHeads } from './known-head.ts'

/**
 * The way into the journal.
 *
 * Requests that arrive while a batch of their project is being committed wait and form the next batch (group
 * commit). One lock per append allows 400 appends/s; batches of 50 reach about 10,000 events/s.
 *
 * idle ──request──▶ committing ──more waiting──▶ committing … ──none waiting──▶ idle
 */
export interface JournalWriter {
  /**
   * Commits the requests together; each has its own outcome.
   * @throws UnavailableError if they may be sent again as they are; DaybookError OUTCOME_UNKNOWN if one has no
   * idempotency key and they may have been committed
   */
  appendMany(scope: ProjectScope, requests: readonly AppendRequest[]): Promise<readonly AppendOutcome[]>
  /**
   * Erases memories for good, in a transaction of its own (`erase-memories.ts`).
   * @param memoryIds at most `MOST_ERASED`
   */
  erase(scope: ProjectScope, memoryIds: readonly string[], metadata: EventMetadata): Promise<Erasure>
  /** Resolves once everything accepted so far is committed or refused. */
  drained(): Promise<void>
}

/**
 * Appends one request.
 * @throws ValidationError, ConflictError, NotFoundError; what `appendMany` throws
 */
export async function appendOne(
  writer: Pick<JournalWriter, 'appendMany'>,
  scope: ProjectScope,
  request: AppendRequest,
): Promise<Appended> {
  const [outcome] = await writer.appendMany(scope, [request])
  if (outcome === undefined) throw new Error('an append had no outcome')
  if ('error' in outcome) throw outcome.error
  return outcome.appended
}

/** Requests that must be committed together. */
interface Unit {
  readonly requests: readonly AppendRequest[]
  resolve(outcomes: readonly AppendOutcome[]): void
  reject(error: unknown): void
}

interface ProjectQueue {
  readonly scope: ProjectScope
  waiting: Unit[]
  running: Promise<void> | null
}

/**
 * Most requests in one transaction. A larger limit holds the lock longer, for hardly more commits per second.
 */
const BATCH_REQUESTS = 500

/**
 * @param onCommitted receives events after their commit, in the order of each project's journal; it must not
 * throw
 * @param metrics counts how each call ended, and how often times went back
 * @param logger gets a warning each time that times go back in a project
 */
export function createJournalWriter(
  onCommitted: (projectId: string, events: readonly CommittedEvent[]) => void,
  metrics?: Pick<Metrics, 'appended' | 'timesSetBack'>,
  logger?: Logger,
): JournalWriter {
  const queues = new Map<string, ProjectQueue>()
  const heads = createKnownHeads()
  const erasing = new Set<Promise<Erasure>>()

  const saySetBack = (projectId: string, from: string, event: LinkedEvent | undefined): void => {
    metrics?.timesSetBack()
    logger?.warn(
      { projectId, lastRecordedAt: from, recordedAt: event?.recordedAt, sequence: event?.sequence },
      "the project's last event was recorded at a time that the database's clock has not reached: the clock was ahead then, or is behind now. New events get the clock's time, which is before that one; their sequence stays the order",
    )
  }

  /** In one statement if that suits the requests and the journal, else under the project's lock. */
  const commit = async (scope: ProjectScope, requests: readonly AppendRequest[]): Promise<CommittedBatch> => {
    const known = heads.of(scope.projectId)
    // Whatever happens, only success says where the journal ends.
    heads.note(scope.projectId, null)
    if (known !== undefined && needOnlyTheHead(requests)) {
      const committed = await commitAtKnownHead(scope, requests, known)
      if (committed !== null) {
        heads.note(scope.projectId, committed.head)
        return committed
      }
      heads.noteMoved(scope.projectId)
    }
    const committed = await commitBatch(scope, requests)
    heads.note(scope.projectId, committed.head)
    return committed
  }

  const commitUnits = async (scope: ProjectScope, units: readonly Unit[]): Promise<void> => {
    const requests = units.flatMap((unit) => unit.requests)
    const committed = await commit(scope, requests).catch((error: unknown) => ({ error }))
    if ('error' in committed) {
      const { error } = committed
      const refused = !(error instanceof CommitUnknown) && !isDatabaseUnavailable(error)
      // One request that the database refuses must not fail others that only arrived at the same moment.
      // Nothing was committed here, so each unit gets its own try. After CommitUnknown, only callers with a
      // key may retry.
      if (refused && units.length > 1) for (const unit of units) await commitUnits(scope, [unit])
      else for (const unit of units) unit.reject(appendFailure(error, unit.requests))
      return
    }
    if (committed.setBackFrom !== null)
      saySetBack(scope.projectId, committed.setBackFrom, committed.events[0])
    let from = 0
    for (const unit of units) {
      unit.resolve(committed.outcomes.slice(from, from + unit.requests.length))
      from += unit.requests.length
    }
    // Last, so that an error in here cannot make committed requests look refused and be committed again.
    if (committed.events.length > 0) onCommitted(scope.projectId, committed.events)
  }

  const run = async (queue: ProjectQueue): Promise<void> => {
    while (queue.waiting.length > 0) await commitUnits(queue.scope, takeBatch(queue))
    queue.running = null
    queues.delete(queue.scope.projectId)
  }

  const enqueue: JournalWriter['appendMany'] = (scope, requests) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(scope.projectId) ?? { scope, waiting: [], running: null }
      queues.set(scope.projectId, queue)
      queue.waiting.push({ requests, resolve, reject })
      // Waits one turn of the event loop, so that requests that arrive together are committed together.
      queue.running ??= new Promise<void>((turn) => setImmediate(turn)).then(() => run(queue))
    })

  const appendMany: JournalWriter['appendMany'] = async (scope, requests) => {
    const startedAt = performance.now()
    const attributes = { 'daybook.requests': requests.length }
    let events = 0
    let refused = requests.length
    try {
      return await inSpan('journal append', { kind: 'producer', attributes }, async () => {
        const outcomes = await enqueue(scope, requests.map(traced))
        events = outcomes.filter((one) => 'appended' in one && one.appended.event !== null).length
        refused = outcomes.filter((one) => 'error' in one).length
        return outcomes
      })
    } finally {
      metrics?.appended({ events, refused, seconds: (performance.now() - startedAt) / 1000 })
    }
  }

  return {
    appendMany,
    async erase(scope, memoryIds, metadata) {
      const startedAt = performance.now()
      const erasure = eraseMemories(scope, memoryIds, metadata)
      erasing.add(erasure)
      const { events } = await erasure.finally(() => erasing.delete(erasure))
      heads.note(scope.projectId, null)
      metrics?.appended({
        events: events.length,
        refused: 0,
        seconds: (performance.now() - startedAt) / 1000,
      })
      if (events.length > 0) onCommitted(scope.projectId, events)
      return erasure
    },
    async drained() {
      await Promise.all([...queues.values()].map((queue) => queue.running))
      await Promise.allSettled(erasing)
    },
  }
}

/**
 * If this process is traced, the event names the span that appends it; else the trace that the request came
 * with.
 */
function traced(request: AppendRequest): AppendRequest {
  const traceparent = currentTraceparent()
  return traceparent === null ? request : { ...request, metadata: { ...request.metadata, traceparent } }
}

function takeBatch(queue: ProjectQueue): Unit[] {
  let requests = 0
  let units = 0
  for (const unit of queue.waiting) {
    if (units > 0 && requests + unit.requests.length > BATCH_REQUESTS) break
    requests += unit.requests.length
    units += 1
  }
  return queue.waiting.splice(0, units)
}

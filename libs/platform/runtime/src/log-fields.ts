import { AsyncLocalStorage } from 'node:async_hooks'
import { currentTraceId } from './trace-context.ts'

/** Fields of every log line that is written for a request, however deep in the code. */
export interface LogFields {
  readonly correlationId: string
}

// Stored with the asynchronous call, not in a child logger passed down: the same parts (the writer, the
// search, the database pool) serve all requests, and each line should still name its request.
const fields = new AsyncLocalStorage<LogFields>()

/** Runs `work`; every log line written during it has these fields. */
export function withLogFields<T>(given: LogFields, work: () => T): T {
  return fields.run(given, work)
}

/** The log fields of the current request, and its trace. */
export function currentLogFields(): object {
  const traceId = currentTraceId()
  return { ...fields.getStore(), ...(traceId === undefined ? {} : { traceId }) }
}

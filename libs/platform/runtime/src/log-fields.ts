import { AsyncLocalStorage } from 'node:async_hooks'
import { currentTraceId } from './trace-context.ts'

/** What every log line of a request carries, however deep the code that writes it. */
export interface LogFields {
  readonly correlationId: string
}

// Kept with the asynchronous call and not in a child logger that is handed down: the same parts (the writer, the search,
// the database pool) work for all requests, and each line should still say for which.
const fields = new AsyncLocalStorage<LogFields>()

/** Runs `work`; every log line written on its behalf has these fields. */
export function withLogFields<T>(given: LogFields, work: () => T): T {
  return fields.run(given, work)
}

/** The fields of the request that the calling code works for, and its trace. */
export function currentLogFields(): object {
  const traceId = currentTraceId()
  return { ...fields.getStore(), ...(traceId === undefined ? {} : { traceId }) }
}

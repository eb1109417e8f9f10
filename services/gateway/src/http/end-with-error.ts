import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'

/**
 * Makes a failing SSE subscription send its error as the last result, and then complete. Yoga would cut the
 * connection, which a client cannot tell from a network failure. (WebSocket has its own message for errors.)
 */
export function endWithError(mask: (error: unknown) => Error): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (isAsyncIterable(result))
        setResult(withLastError(result as AsyncIterable<ExecutionResult>, mask) as never)
    },
  }
}

/** Not a generator, because `return()` must reach the source even while a result is pending. */
function withLastError(
  source: AsyncIterable<ExecutionResult>,
  mask: (error: unknown) => Error,
): AsyncIterableIterator<ExecutionResult> {
  const iterator = source[Symbol.asyncIterator]()
  let failed = false
  return {
    async next() {
      if (failed) return { done: true, value: undefined }
      try {
        return await iterator.next()
      } catch (error) {
        failed = true
        return { done: false, value: { errors: [mask(error) as never] } }
      }
    },
    async return() {
      await iterator.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

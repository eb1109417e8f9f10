import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'

/**
 * A subscription over SSE that fails sends why, as its last result, and then completes. Yoga would break off the connection, which a
 * client cannot tell from a network that failed. (WebSocket has a message for it.)
 */
export function endWithError(mask: (error: unknown) => Error): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (isAsyncIterable(result))
        setResult(withLastError(result as AsyncIterable<ExecutionResult>, mask) as never)
    },
  }
}

/** No generator: its `return()` must reach the source while a result is waited for. */
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

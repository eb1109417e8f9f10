import { inSpan } from '@daybook/runtime/trace-context'
import { type ExecutionArgs, getOperationAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { RequestContext } from './request-context.ts'

/**
 * Makes a span for each query and mutation, over HTTP and WebSocket, that continues the client's trace. The
 * span is named by the kind of operation; the names that clients choose are unbounded, so they go into an
 * attribute. A subscription lasts as long as its client likes and gets no span.
 */
export function traceOperations(): Plugin<RequestContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      setExecuteFn((given: ExecutionArgs) => {
        const operation = getOperationAST(given.document, given.operationName)
        const { correlationId, traceparent } = args.contextValue
        const attributes = {
          'graphql.operation.name': operation?.name?.value ?? '',
          'daybook.correlation_id': correlationId,
        }
        const options = { kind: 'server', traceparent, attributes } as const
        return inSpan(`graphql ${operation?.operation ?? 'operation'}`, options, () => executeFn(given))
      })
    },
  }
}

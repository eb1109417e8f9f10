import { DaybookError } from '@daybook/memory/errors'
import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { GatewayParts } from '../parts.ts'
import type { LimitChecks } from '../project-limits.ts'
import type { QuarantineChecks } from '../quarantine/quarantine-checks.ts'
import type { KeyBudget } from './key-budget.ts'
import { createKeyWork } from './key-work.ts'
import { costOfOperation } from './operation-cost.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Bounds queries and mutations, over HTTP and WebSocket. Writers in quarantine get no
 * mutation. Each has a deadline, each project may have a limit of
 * requests a second, and each key has a number of turns, and a budget that the cost of each operation is taken from, of
 * subscriptions too. A request keeps its turn until its work is really over, even after its deadline. So a client gains
 * nothing by giving up and retrying.
 */
export function boundWork(
  { config, activity, budget }: GatewayParts & { readonly budget: KeyBudget },
  mask: (error: unknown) => Error,
  { limits, quarantines }: { readonly limits: LimitChecks; readonly quarantines: QuarantineChecks },
): Plugin<RequestContext> {
  const { deadlineMs, perKey } = config.work
  const work = createKeyWork(perKey)
  const spend = ({ schema, document, operationName, variableValues, contextValue }: ExecutionArgs) => {
    const { access } = contextValue as RequestContext
    const operation = { document, operationName, variables: variableValues }
    budget.spend(access?.keyId ?? '', costOfOperation(schema, operation))
  }
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      try {
        spend(args)
      } catch (error) {
        setResultAndStopExecution({ errors: [mask(error) as never] })
      }
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      setExecuteFn(async (given: ExecutionArgs): Promise<ExecutionResult> => {
        activity?.touch()
        try {
          const { access } = args.contextValue
          spend(given)
          if (access?.projectId != null) await limits.request(access.projectId)
          const isMutation = getOperationAST(given.document, given.operationName)?.operation === 'mutation'
          const end = await work.begin(access?.keyId ?? '')
          const run = async (): Promise<ExecutionResult> => {
            const { claims } = args.contextValue
            // A look into the database, so within the deadline like everything else.
            if (isMutation && access !== null)
              await quarantines.requireFree(access.projectId, { ...claims, key: access.keyId })
            return executeFn(given) as ExecutionResult
          }
          const working = run().finally(end)
          return await withinDeadline(working, deadlineMs, isMutation)
        } catch (error) {
          return { errors: [mask(error) as never] }
        }
      })
    },
  }
}

async function withinDeadline<T>(working: Promise<T>, deadlineMs: number, isMutation: boolean): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(deadline(deadlineMs, isMutation)), deadlineMs)
  })
  try {
    return await Promise.race([working, late])
  } finally {
    clearTimeout(timer)
  }
}

function deadline(deadlineMs: number, isMutation: boolean): DaybookError {
  const what = `The request was not answered within ${deadlineMs / 1_000} s, which is the limit (DAYBOOK_REQUEST_DEADLINE)`
  const advice = isMutation
    ? 'it is not known whether its changes were made: look before you repeat it, or repeat it with the same idempotency keys'
    : 'ask for less at a time'
  return new DaybookError('DEADLINE', `${what}: ${advice}`)
}

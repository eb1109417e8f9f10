import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { z } from 'zod'
import { OPERATION, operationLine, succeeded, waitForOperation } from '../tool-result.ts'
import { tool } from './tool.ts'

const PING = queries.projections('name head lag status')

/** Whether Daybook answers. */
export const ping = tool({
  name: 'ping',
  toolset: 'ops',
  title: 'Ping',
  description: 'Says whether Daybook answers, and how far its indexes are behind the journal.',
  effect: 'reads',
  input: z.object({}),
  output: z.object({
    sequence: z.int(),
    indexes: z.array(z.object({ name: z.string(), lag: z.int(), status: z.string() })),
  }),
  example: () => ({}),
  async run(_, session) {
    const { projections } = await session.ask(PING, {})
    const sequence = Math.max(0, ...projections.map(({ head }) => head))
    const indexes = projections.map(({ name, lag, status }) => ({ name, lag, status }))
    const lines = indexes.map(
      ({ name, lag, status }) => `${name}: ${status.toLowerCase()}, ${lag} events behind`,
    )
    return {
      data: { sequence, indexes },
      text: [`Daybook answers. The journal is at ${sequence}.`, ...lines].join('\n'),
    }
  },
})

const BACKFILL = mutations.backfill('...McpOperation', [OPERATION])

/** Make missing vectors. */
export const backfillEmbeddings = tool({
  name: 'backfill_embeddings',
  toolset: 'ops',
  title: 'Backfill embeddings',
  description:
    'Makes the vectors that memories lack, also those that failed before. Needs a key that runs the whole Daybook.',
  effect: 'adds',
  idempotent: true,
  input: z.object({}),
  output: z.looseObject({ operation: z.string(), status: z.string() }),
  example: () => ({}),
  async run(_, session) {
    const { result: asked } = await session.ask(BACKFILL, { projection: 'PGVECTOR' })
    const operation = await waitForOperation(succeeded(asked), session)
    const { id, status, result } = operation
    const counts = result == null ? '' : ` ${JSON.stringify(result)}`
    return {
      data: { operation: id, status, ...(result != null && { result: { ...result } }) },
      text: `${operationLine(operation)}${counts}`,
      failed: status === 'FAILED',
    }
  },
})

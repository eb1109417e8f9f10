import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { tool } from './tool.ts'

const PING = graphql('query McpPing { projections { name head lag status } }')

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

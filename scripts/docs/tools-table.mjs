import { table } from './table.mjs'

const { TOOLS } = await import('@daybook/mcp/tools/index')

/** Every tool that agents can call, from their definitions. */
export const toolsTable = () =>
  table(
    ['tool', 'set', 'effect', 'arguments', 'what it says of itself'],
    TOOLS.map(({ name, toolset, effect, description, input }) => [
      `\`${name}\``,
      toolset,
      effect,
      Object.entries(input.shape)
        .map(([argument, schema]) => `\`${argument}${schema.isOptional() ? '?' : ''}\``)
        .join(', ') || 'none',
      description,
    ]),
  )

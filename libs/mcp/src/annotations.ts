import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Tool } from './tools/tool.ts'

/** What clients show and ask before they call a tool. */
export function annotationsOf({ effect, idempotent = false }: Tool): ToolAnnotations {
  // MCP takes the other hints of a tool that only reads for granted.
  if (effect === 'reads') return { readOnlyHint: true, openWorldHint: false }
  return {
    readOnlyHint: false,
    destructiveHint: effect === 'changes',
    idempotentHint: idempotent,
    openWorldHint: false,
  }
}

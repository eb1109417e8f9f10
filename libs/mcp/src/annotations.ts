import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Tool } from './tools/tool.ts'

/** What clients show and ask before they call a tool. */
export function annotationsOf({ effect, idempotent = effect === 'reads' }: Tool): ToolAnnotations {
  return {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'changes',
    idempotentHint: idempotent,
    openWorldHint: false,
  }
}

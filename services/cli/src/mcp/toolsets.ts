/** Groups of tools that the MCP server offers; `core` unless others are asked for. */
export const TOOLSETS = ['core', 'people', 'documents', 'ops'] as const

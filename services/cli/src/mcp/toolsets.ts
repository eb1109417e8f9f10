/** Groups of tools that the MCP server offers; `core` unless others are asked for. docs/mcp.md says what is in each. */
export const TOOLSETS = ['core', 'people', 'documents', 'ops'] as const

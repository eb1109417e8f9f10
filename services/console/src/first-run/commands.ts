/** A way to connect something, as a line to copy. */
export interface CommandLine {
  readonly label: string
  readonly line: string
}

/** The clients that `daybook mcp install` knows, as it calls them. */
export const MCP_CLIENTS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'windsurf',
  'zed',
  'cline',
  'cline-cli',
] as const

/** The line that connects an agent. */
export const mcpLine = (client: string): CommandLine => ({
  label: `Connect ${client}`,
  line: `npx daybook mcp install --client ${client}`,
})

/** Lines that remember and find something. @param origin this Daybook's address */
export const otherLines = (origin: string): readonly CommandLine[] => [
  {
    label: 'The command line',
    line: `npx daybook remember "We ship on Mondays"
npx daybook search "when do we release"`,
  },
  {
    label: 'GraphQL with curl',
    line: `curl -s ${origin}/graphql -H "authorization: Bearer $DAYBOOK_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"query":"{ search(query: \\"release\\") { hits { score memory { id title } } } }"}'`,
  },
  {
    label: 'Any MCP client, over HTTP',
    line: `{ "url": "${origin}/mcp", "headers": { "Authorization": "Bearer <API key>" } }`,
  },
]

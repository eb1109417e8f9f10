import { isObject } from './config/edited.ts'
import { KEY_VARIABLE } from './server.ts'

/** Fields that an entry of ours may have, in any client. Others are the user's, such as `disabled` or `trust`. */
const OWN_FIELDS = new Set([
  'type',
  'command',
  'args',
  'env',
  'env_vars',
  'url',
  'httpUrl',
  'serverUrl',
  'headers',
  'http_headers',
  'bearer_token_env_var',
])

/** Whether an entry runs or reaches Daybook's MCP server, written by us or by hand. */
export function isOurs(entry: unknown): boolean {
  if (!isObject(entry)) return false
  const { command, args } = entry
  if (Array.isArray(args))
    return (
      args.includes('mcp') &&
      [command, ...args].some((part) => /(?:^|[/\\])daybook(?:\.mjs)?$/u.test(String(part)))
    )
  const address = String(entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'])
  const isMcp = URL.canParse(address) && new URL(address).pathname.endsWith('/mcp')
  return isMcp && JSON.stringify(entry).includes(KEY_VARIABLE)
}

/** Our entry in place of the one that is there, whose other fields stay. */
export function merged(present: unknown, entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!isObject(present) || !isOurs(present)) return { ...entry }
  const kept = Object.entries(present).filter(([field]) => !OWN_FIELDS.has(field))
  return { ...entry, ...Object.fromEntries(kept) }
}

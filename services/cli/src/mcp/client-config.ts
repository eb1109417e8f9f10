import type { McpClient, Place, Scope } from './clients/client.ts'
import { ConfigError } from './config/config-error.ts'
import { edited, readServers, type Servers } from './config/edited.ts'
import type { Entry } from './config/format.ts'
import { FORMATS } from './config/formats.ts'
import { snippetOf } from './outcome.ts'

/** The file of a client's configuration. @throws ConfigError NO_SUCH_SCOPE */
export function fileOf(client: McpClient, scope: Scope, place: Place): string {
  const file = client.files[scope]?.(place)
  if (file !== undefined) return file
  throw new ConfigError('NO_SUCH_SCOPE', `${client.title} has no configuration of its own for a ${scope}.`, [
    `It has one for: ${Object.keys(client.files).join(', ')}  (--scope)`,
  ])
}

/** The servers that a configuration names. @throws ConfigError CONFIG_UNREADABLE */
export function serversIn(client: McpClient, file: string, text: string): Servers {
  try {
    return readServers(FORMATS[client.format], client.section, text)
  } catch (error) {
    const language = client.format === 'json' ? 'JSON' : 'TOML'
    throw new ConfigError(
      'CONFIG_UNREADABLE',
      `${file} cannot be read as ${language}: ${(error as Error).message}. It was left as it is.`,
      [`Mend it, and try again: ${client.title} cannot read it either`],
    )
  }
}

/** The text with the entry; with null without it. @throws ConfigError CONFIG_FORM */
export function withEntry(
  client: McpClient,
  { file, name, text }: { readonly file: string; readonly name: string; readonly text: string },
  entry: Entry | null,
  withSection = false,
): string {
  const { format, section, title } = client
  try {
    return edited(FORMATS[format], { section, name }, text, entry, withSection)
  } catch {
    throw new ConfigError(
      'CONFIG_FORM',
      `${file} is written in a form that is not edited here. It was left as it is.`,
      entry === null
        ? [`Remove the server "${name}" from it by hand`]
        : [`Add this to it by hand for ${title}:`, ...snippetOf(client, name, entry).trimEnd().split('\n')],
    )
  }
}

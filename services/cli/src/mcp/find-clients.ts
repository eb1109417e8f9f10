import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { serversIn } from './client-config.ts'
import { type McpClient, type Place, pathOf, SCOPES, type Scope } from './clients/client.ts'
import { readConfig } from './config/config-file.ts'
import { isOurs } from './is-ours.ts'

/** Whether a client is on this machine: one of its folders is there, or its program in `PATH`. */
export function isInstalled(client: McpClient, place: Place): boolean {
  if (client.signs(place).some((path) => existsSync(path))) return true
  const folders = (place.environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings = place.platform === 'win32' ? ['.exe', '.cmd'] : ['']
  return client.programs.some((program) =>
    folders.some((folder) => endings.some((ending) => existsSync(pathOf(place, folder, program + ending)))),
  )
}

/** One configuration of a client. */
export interface ConfigState {
  readonly scope: Scope
  readonly file: string
  readonly exists: boolean
  /** Whether Daybook's server is in it. */
  readonly configured: boolean
  /** Why it cannot be read; null if it can. */
  readonly problem: string | null
}

/** The configurations that a client has, and whether Daybook is in them under this name. */
export function configsOf(client: McpClient, place: Place, name: string): readonly ConfigState[] {
  return SCOPES.flatMap((scope): ConfigState[] => {
    const path = client.files[scope]?.(place)
    if (path === undefined) return []
    try {
      const { file, text } = readConfig(path)
      const configured = isOurs(serversIn(client, file, text ?? '').servers[name])
      return [{ scope, file, exists: text !== null, configured, problem: null }]
    } catch (error) {
      return [{ scope, file: path, exists: true, configured: false, problem: (error as Error).message }]
    }
  })
}

import { posix, win32 } from 'node:path'
import type { Environment } from '../../settings.ts'
import type { Entry, FormatName } from '../config/format.ts'
import type { Server } from '../server.ts'

/** Where configurations are looked for. Tests name another home and another system. */
export interface Place {
  readonly platform: NodeJS.Platform
  /** The user's home folder. */
  readonly home: string
  readonly environment: Environment
  /** The folder of the scope `project`. */
  readonly folder: string
}

/** Whom a configuration is for: all work of this user, or whoever works in one folder. */
export const SCOPES = ['user', 'project'] as const
export type Scope = (typeof SCOPES)[number]

/** A program that speaks MCP, and how it wants to be told of a server. */
export interface McpClient {
  /** What `--client` takes. */
  readonly id: string
  /** Its own name. */
  readonly title: string
  readonly format: FormatName
  /** The object or table of its configuration that holds the servers by name. */
  readonly section: string
  /** Its configuration file of each scope that it has. */
  readonly files: Readonly<Partial<Record<Scope, (place: Place) => string>>>
  /** Folders or files that exist only where it is installed. */
  readonly signs: (place: Place) => readonly string[]
  /** Names under which it stands in `PATH`. */
  readonly programs: readonly string[]
  /** How its configuration names an environment variable; null if it cannot, so that it can be given no key. */
  readonly reference: ((variable: string) => string) | null
  /** The entry for a server that Daybook can offer; null if this client cannot be told so. */
  readonly entry: (server: Server) => Entry | null
  /** What makes it read its configuration again. */
  readonly reload: string
}

/** Joins a path as the system of the place does. */
export const pathOf = ({ platform }: Pick<Place, 'platform'>, ...parts: readonly string[]): string =>
  (platform === 'win32' ? win32 : posix).join(...parts)

/** A path below the user's home. */
export const inHome = (place: Place, ...parts: readonly string[]): string =>
  pathOf(place, place.home, ...parts)

/** Where programs with a window keep their settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
export function settingsFolder(place: Place, ...parts: readonly string[]): string {
  const { platform, environment } = place
  if (platform === 'win32')
    return pathOf(place, environment['APPDATA'] || inHome(place, 'AppData', 'Roaming'), ...parts)
  if (platform === 'darwin') return inHome(place, 'Library', 'Application Support', ...parts)
  return pathOf(place, environment['XDG_CONFIG_HOME'] || inHome(place, '.config'), ...parts)
}

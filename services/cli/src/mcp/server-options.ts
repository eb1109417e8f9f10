import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findDataFolder } from '@daybook/local-daemon/data-folder'
import { type GlobalOptions, parseUrl, placeFrom } from '../settings.ts'
import type { Place, Scope } from './clients/client.ts'
import type { Server } from './server.ts'

/** A program with its first arguments. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * How a client starts the server: this node with this very file. It needs no `PATH`, which programs with a window do not share with the
 * shell, and asks no registry, where anybody could own the package's name.
 * @param binary the file that this process was started with (`process.argv[1]`)
 */
export const ownCommand = (binary: string): Command => ({
  command: process.execPath,
  args: [realpathSync(binary), 'mcp'],
})

/** What the user asked for; nothing of it comes from environment variables, which the client would not have. */
export interface ServerOptions extends Pick<GlobalOptions, 'url' | 'dataDir' | 'project'> {
  /** The groups of tools; the server's own default if absent. */
  readonly toolsets?: readonly string[]
  /** Whether the client speaks HTTP with the daemon, instead of starting a server that does. */
  readonly http?: boolean
}

/**
 * The server that an entry names. A local one finds its data folder from the folder it is started in, or in the user's home. For
 * the scope `user` that folder may be any, so a data folder elsewhere is named; for a project's it is the project's own.
 * @throws UsageError for a URL that is none; UnreachableError if over HTTP none is given and the folder's daemon does not run
 */
export function serverOf(options: ServerOptions, scope: Scope, own: Command, place: Place): Server {
  const dataDir = options.dataDir === undefined ? null : resolve(place.folder, options.dataDir)
  const found = dataDir ?? findDataFolder(place.folder, place.home)
  const { project, toolsets } = options
  if (options.http === true) {
    const shown = toolsets === undefined ? '' : `?toolsets=${toolsets.join(',')}`
    const url = `${placeFrom({ ...options, dataDir: found }, {}).url}/mcp${shown}`
    // A header takes only ASCII; the gateway decodes it.
    const headers = { ...(project !== undefined && { 'x-daybook-project': encodeURIComponent(project) }) }
    return { transport: 'http', url, headers }
  }
  const isElsewhere =
    scope === 'user' && options.url === undefined && found !== findDataFolder(place.home, place.home)
  const named = dataDir ?? (isElsewhere && holdsKey(found) ? found : null)
  const args = [
    ...own.args,
    ...(options.url === undefined ? [] : ['--url', parseUrl(options.url)]),
    ...(named === null ? [] : ['--data-dir', named]),
    ...(project === undefined ? [] : ['--project', project]),
    ...(toolsets === undefined ? [] : ['--toolsets', toolsets.join(',')]),
  ]
  const needsKey = options.url !== undefined && dataDir === null
  return { transport: 'stdio', command: own.command, args, needsKey }
}

const holdsKey = (folder: string) => existsSync(join(folder, 'api-key'))

import {
  type Connection,
  type ConnectionOptions,
  connectionFrom,
  dataFolderFrom,
  type Environment,
  givenUrl,
  parseUrl,
} from './connection.ts'
import { ensureDaemon } from './ensure-daemon.ts'

/**
 * A connection for a program that must not ask anybody to start a daemon first, such as an MCP server. If an
 * address is given (`url`, `DAYBOOK_URL`), it is that daemon, which is elsewhere and not started from here.
 * Else it is the data folder's, started in the background if none runs. The key is chosen as by
 * `connectionFrom`: a key of the environment goes before the folder's, so that an agent can be given less.
 * @param onWait told that a daemon is being started, which takes some seconds
 * @throws what `connectionFrom` and `ensureDaemon` throw
 */
export async function connectOrStart(
  options: ConnectionOptions,
  environment: Environment,
  onWait?: () => void,
): Promise<Connection> {
  if (givenUrl(options, environment) !== undefined) return connectionFrom(options, environment)
  const dataDir = dataFolderFrom(options, environment)
  const { url, apiKey, keySource } = await ensureDaemon({
    dataDir,
    environment,
    ...(onWait !== undefined && { onWait }),
  })
  const ownKey =
    options.dataDir === undefined && (environment['DAYBOOK_API_KEY'] || environment['DAYBOOK_API_KEY_FILE'])
  if (ownKey) return connectionFrom(options, environment)
  const project = options.project ?? (environment['DAYBOOK_PROJECT'] || null)
  return { url: parseUrl(url), isGiven: false, dataDir, project, apiKey, keySource }
}

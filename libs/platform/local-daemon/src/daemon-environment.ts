import { resolve } from 'node:path'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { checkAddress } from '@daybook/runtime/listen'
import { SETTINGS } from '@daybook/runtime/settings'
import { fileVariable, listSettings } from '@daybook/runtime/settings/setting'
import type { Environment } from './connection.ts'

/** The variables whose values are paths. */
const PATHS = listSettings(SETTINGS).flatMap(({ name, type, secret }) => [
  ...(type === 'folder' || type === 'file' ? [name] : []),
  ...(secret === true ? [fileVariable(name)] : []),
])

/**
 * The environment of a daemon that is started in the background: that of its starter, with the data folder
 * named and paths made absolute, because the daemon does not run in the starter's folder.
 */
export function daemonEnvironment(
  dataDir: string,
  environment: Environment,
): Record<string, string | undefined> {
  const paths = PATHS.flatMap((name) => {
    const path = environment[name]
    return path ? [[name, resolve(path)]] : []
  })
  return { ...environment, ...Object.fromEntries(paths), DAYBOOK_DATA_DIR: dataDir }
}

/** Whether the environment names no port, and another program has the usual one. */
export async function isUsualPortTaken(environment: Environment): Promise<boolean> {
  if (environment['DAYBOOK_PORT']) return false
  const host = environment['DAYBOOK_HOST'] || '127.0.0.1'
  return checkAddress({ host, port: DEFAULT_PORTS.gateway }).then(
    () => false,
    () => true,
  )
}

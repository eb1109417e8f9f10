import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backupsOf } from '../mcp/config/backups.ts'
import { changeConfig, readConfig } from '../mcp/config/config-file.ts'
import { ServiceError } from './service-error.ts'
import { MARK, type ServiceManager, type ServicePlace } from './service-manager.ts'

/** What became of the service. */
export interface UninstalledService {
  readonly outcome: 'removed' | 'absent'
  readonly file: string
  /** Copies of files of others that stood there before the installation. They stay. */
  readonly backups: readonly string[]
}

const isOurs = (copy: string) => readFileSync(copy, 'utf8').includes(MARK)

/** The service's file. @returns whether there is one. @throws ServiceError SERVICE_NOT_OURS if Daybook did not make it */
export function findServiceFile(
  manager: ServiceManager,
  place: ServicePlace,
): { readonly file: string; readonly exists: boolean } {
  const { file, text } = readConfig(manager.file(place))
  if (text !== null && !text.includes(MARK))
    throw new ServiceError('SERVICE_NOT_OURS', `${file} was not made by Daybook. It was left as it is.`, [
      'See what it is; if it is not needed, remove it by hand',
    ])
  return { file, exists: text !== null }
}

/**
 * Ends the service and removes its file, with the copies of its own earlier versions. The data folder stays, and so does everything else.
 * @throws ServiceError SERVICE_NOT_OURS, SERVICE_MANAGER; ConfigError if the file cannot be removed
 */
export async function uninstallService(
  manager: ServiceManager,
  place: ServicePlace,
): Promise<UninstalledService> {
  const { file, exists } = findServiceFile(manager, place)
  if (!exists) return { outcome: 'absent', file, backups: [] }
  await manager.stop(place)
  const { backup } = await changeConfig(file, () => null)
  // A link to the file leads nowhere now.
  rmSync(manager.file(place), { force: true })
  const copies = existsSync(dirname(file)) ? backupsOf(file) : []
  const [ours, theirs] = [copies.filter(isOurs), copies.filter((copy) => !isOurs(copy))]
  for (const copy of ours) rmSync(copy, { force: true })
  if (backup !== null) rmSync(backup, { force: true })
  await manager.forget(place)
  return { outcome: 'removed', file, backups: theirs }
}

import { accessSync, chmodSync, constants, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'

/** The umask of our processes: new files give no rights to group and others. */
export const PRIVATE_UMASK = 0o077

const WRITABLE_BY_OTHERS = 0o022
const ANYTHING_OF_OTHERS = 0o077

const octal = (mode: number) => `0${(mode & 0o777).toString(8).padStart(3, '0')}`

/**
 * Makes the data folder with mode 0700, or checks the existing one. Whoever may write into it can replace our
 * key, model or database. Folders that others may only read are left to `tightenFolder`.
 * @throws DaybookError CONFIGURATION naming the folder's mode or owner, and what to run
 */
export function ensurePrivateFolder(folder: string): void {
  makeFolder(folder)
  const { mode, uid } = statSync(folder)
  // Windows has no such rights: there every folder seems to be everybody's.
  if (process.platform !== 'win32' && (mode & WRITABLE_BY_OTHERS) !== 0)
    throw new DaybookError(
      'CONFIGURATION',
      `Others may write into the data folder ${folder} (its mode is ${octal(mode)}), so what is in it cannot be trusted.\n` +
        `If all in it is yours, run: chmod 700 ${folder}\n` +
        'Else give Daybook its own folder with DAYBOOK_DATA_DIR, such as a new one inside it.',
    )
  // The superuser may use a folder that belongs to another user. For anybody else, that user could change it
  // at any time.
  const self = process.getuid?.() ?? uid
  if (self !== 0 && uid !== self)
    throw new DaybookError(
      'CONFIGURATION',
      `The data folder ${folder} belongs to another user (${uid}; this process runs as ${self}): give Daybook its own folder with DAYBOOK_DATA_DIR`,
    )
}

function makeFolder(folder: string): void {
  const refused = (why: string, cause?: unknown) =>
    new DaybookError(
      'CONFIGURATION',
      `The data folder ${folder} cannot be used: ${why}. Name another with DAYBOOK_DATA_DIR.`,
      { cause },
    )
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR') throw refused('there is a file in its place', error)
    if (code === 'EACCES' || code === 'EPERM') throw refused('this user may not write there', error)
    if (code === 'EROFS') throw refused('its disk can only be read', error)
    throw refused(message, error)
  }
}

/**
 * Removes all rights of group and others from the folder and everything in it: earlier versions made database
 * files that everybody could read. Symbolic links are neither followed nor changed.
 * @returns how many files and folders were changed
 */
export function tightenFolder(folder: string): number {
  let changed = 0
  const tighten = (path: string, mode: number) => {
    if ((mode & ANYTHING_OF_OTHERS) === 0) return
    chmodSync(path, mode & 0o700)
    changed += 1
  }
  const visit = (path: string) => {
    const info = lstatSync(path, { throwIfNoEntry: false })
    // Gone meanwhile, as happens with temporary files.
    if (info === undefined || info.isSymbolicLink()) return
    tighten(path, info.mode)
    if (info.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
  }
  visit(folder)
  return changed
}

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { PRIVATE_UMASK } from '@daybook/runtime/private-folder'

/**
 * Makes every file of this process its user's alone. PGlite gives each of its files the mode 0666 or 0644 by an explicit chmod,
 * which no umask binds and which it has no option for, so this process grants the group and others nothing by chmod either.
 * Call it before PGlite opens its folder, in a process that does nothing else.
 */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK)
  const { chmodSync, fchmodSync } = fs
  fs.chmodSync = (path, mode) => chmodSync(path, withoutOthers(mode))
  fs.fchmodSync = (file, mode) => fchmodSync(file, withoutOthers(mode))
  // For those who imported the functions by name.
  syncBuiltinESMExports()
}

const withoutOthers = (mode: fs.Mode): number =>
  (typeof mode === 'string' ? Number.parseInt(mode, 8) : mode) & ~PRIVATE_UMASK

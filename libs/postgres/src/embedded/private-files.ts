import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { PRIVATE_UMASK } from '@daybook/runtime/private-folder'

/**
 * Makes every file of this process readable for its user only. PGlite sets the mode of its files to 0666 or
 * 0644 by chmod. A umask does not affect that, and PGlite has no option for it, so this replaces chmod with
 * one that grants nothing to group and others. Call it before PGlite opens its folder, in a process that does
 * nothing else.
 */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK)
  const { chmodSync, fchmodSync } = fs
  fs.chmodSync = (path, mode) => chmodSync(path, withoutOthers(mode))
  fs.fchmodSync = (file, mode) => fchmodSync(file, withoutOthers(mode))
  // For modules that imported the functions by name.
  syncBuiltinESMExports()
}

const withoutOthers = (mode: fs.Mode): number =>
  (typeof mode === 'string' ? Number.parseInt(mode, 8) : mode) & ~PRIVATE_UMASK

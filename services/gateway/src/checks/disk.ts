import { statfs } from 'node:fs/promises'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'

const LOW_BYTES = 1024 ** 3
const OUT_BYTES = 100 * 1024 ** 2

/** Checks that the embedded database has room; null if a server keeps the data. */
export async function checkDisk({ config }: CheckedParts): Promise<Finding | null> {
  if (config.databaseUrl !== undefined) return null
  const { bavail, bsize } = await statfs(config.dataDir)
  return judgeDisk(bavail * bsize, config.dataDir)
}

/** Judges the free bytes on the disk of the data folder. */
export function judgeDisk(freeBytes: number, dataDir: string): Finding {
  const message = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB are free for ${dataDir}`
  const advice = 'Make room, or move the data folder while the daemon is stopped (DAYBOOK_DATA_DIR)'
  if (freeBytes < OUT_BYTES) return failed(message, advice)
  return freeBytes < LOW_BYTES ? warning(message, advice) : ok(message)
}

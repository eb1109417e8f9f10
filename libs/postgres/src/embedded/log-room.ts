import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/*
 * Room for the write-ahead log on a full disk. Reads need some, too: recovery begins a segment, and a page that is read may be
 * logged with what was found out about its rows. So a file keeps room for two segments, and is given up when there is none left.
 */

const MEGABYTE = 1024 * 1024
/** A segment has 16. */
const RESERVE_MB = 32
/** With less than this on its disk the database only reads. More than the reserve, or giving it up would look like room. */
const LEAST_MB = 64

const reserveOf = (folder: string) => `${folder}.reserve`

/** Whether the disk of a database's folder has room enough to write. */
export function hasRoom(folder: string, megabytes = LEAST_MB): boolean {
  const { bavail, bsize } = statfsSync(dirname(folder))
  return bavail * bsize >= megabytes * MEGABYTE
}

/**
 * Makes the reserve, if it leaves room enough. Of random bytes, as some file systems pack zeros away.
 * @returns whether it is there
 */
export async function keepReserve(folder: string): Promise<boolean> {
  const path = reserveOf(folder)
  if (existsSync(path)) return true
  try {
    if (!hasRoom(folder, LEAST_MB + RESERVE_MB)) return false
    const file = await open(path, 'w', 0o600)
    try {
      for (let written = 0; written < RESERVE_MB; written += 1) await file.write(randomBytes(MEGABYTE))
    } finally {
      await file.close()
    }
    return true
  } catch {
    giveReserveUp(folder)
    return false
  }
}

/** Frees the room of the reserve. */
export function giveReserveUp(folder: string): void {
  rmSync(reserveOf(folder), { force: true })
}

import { constants, copyFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const suffix = (moment: Date) => `.daybook-${moment.toISOString().replace(/[-:]|\.\d+/gu, '')}`

/**
 * Copies a file beside itself, with its mode, before it is changed: `mcp.json.daybook-20261123T091500Z.bak`.
 * @returns the copy's path
 */
export function backUp(file: string, now = new Date()): string {
  for (let count = 1; ; count += 1) {
    const copy = `${file}${suffix(now)}${count === 1 ? '' : `-${count}`}.bak`
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL)
      return copy
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

const BACKUP = /\.daybook-(?<moment>\d{8}T\d{6}Z)(?:-(?<count>\d+))?\.bak$/u

/** The copies of a file that `backUp` made, the newest first. */
export function backupsOf(file: string): readonly string[] {
  const found = readdirSync(dirname(file)).flatMap((name) => {
    const groups = name.startsWith(`${basename(file)}.`) ? BACKUP.exec(name)?.groups : undefined
    return groups === undefined
      ? []
      : [{ name, moment: groups['moment'] ?? '', count: Number(groups['count'] ?? 1) }]
  })
  return found
    .toSorted((one, next) => next.moment.localeCompare(one.moment) || next.count - one.count)
    .map(({ name }) => join(dirname(file), name))
}

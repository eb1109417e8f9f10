import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second in /proc, on every Linux that node runs on. */
export const TICKS = 100

/** A process as /proc tells. */
export interface TreeProcess {
  readonly pid: number
  readonly what: string
  /** Bytes. */
  readonly resident: number
  /** Clock ticks of processor time, without its children's. */
  readonly ticks: number
  /** Those of its children that have ended. */
  readonly endedTicks: number
}

/** A process and all its descendants. Linux only. */
export function processTree(root: number): TreeProcess[] {
  const all = new Map(
    readdirSync('/proc')
      .filter((entry) => /^\d+$/u.test(entry))
      .flatMap((entry) => {
        try {
          // Fields after the name, which may contain anything: state, parent, …
          const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
            .replace(/^.*\) /su, '')
            .split(' ')
          const what = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ')
          const pages = Number(readFileSync(`/proc/${entry}/statm`, 'utf8').split(' ')[1])
          const ticks = Number(fields[11]) + Number(fields[12])
          const endedTicks = Number(fields[13]) + Number(fields[14])
          const pid = Number(entry)
          return [
            [pid, { pid, parent: Number(fields[1]), what, resident: pages * 4096, ticks, endedTicks }],
          ] as const
        } catch {
          // The process has ended meanwhile.
          return []
        }
      }),
  )
  const found: TreeProcess[] = []
  for (const pids = [root]; pids.length > 0; ) {
    const pid = pids.pop() ?? 0
    const one = all.get(pid)
    if (one !== undefined) found.push(one)
    for (const [child, { parent }] of all) if (parent === pid) pids.push(child)
  }
  return found
}

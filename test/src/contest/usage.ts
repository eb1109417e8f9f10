import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { processTree, TICKS } from '../support/process-tree.ts'

/** The processes of one peer: all descendants of this process that were not there before it was opened. Linux only. */
export interface Usage {
  /** Their ids. */
  pids(): number[]
  /** Seconds of processor time until now, of ended children too. */
  cpuSeconds(): number
  /** Starts to watch their memory. @returns a function that stops, and tells the highest in megabytes */
  watchMemory(): () => number
}

const SAMPLE_MS = 500

/** Begins before a peer is opened. */
export function peerUsage(): Usage {
  const own = () => processTree(process.pid).slice(1)
  const before = new Set(own().map(({ pid }) => pid))
  const tree = () => own().filter(({ pid }) => !before.has(pid))
  const megabytes = () => tree().reduce((sum, { pid }) => sum + proportional(pid), 0) / 1e6
  return {
    pids: () => tree().map(({ pid }) => pid),
    cpuSeconds: () => tree().reduce((sum, { ticks, endedTicks }) => sum + ticks + endedTicks, 0) / TICKS,
    watchMemory() {
      let highest = megabytes()
      const look = () => (highest = Math.max(highest, megabytes()))
      const timer = setInterval(look, SAMPLE_MS)
      return () => {
        clearInterval(timer)
        return Math.round(look())
      }
    },
  }
}

/** Bytes of a process, where a page that n processes share counts as 1/n: Postgres's buffers are in all of its processes. */
function proportional(pid: number): number {
  try {
    const kilobytes = /^Pss:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

/** Bytes that the folders take on their disks. */
export function diskBytes(folders: readonly string[]): number {
  const existing = folders.filter((folder) => statSync(folder, { throwIfNoEntry: false }) !== undefined)
  if (existing.length === 0) return 0
  // A database may remove a file meanwhile: what du says of the rest is still right.
  const printed = execFileSync('sh', ['-c', 'du -sk "$@" 2>/dev/null || true', 'sh', ...existing], {
    encoding: 'utf8',
  })
  return printed
    .split('\n')
    .filter(Boolean)
    .reduce((sum, line) => sum + Number(line.split('\t')[0]) * 1024, 0)
}

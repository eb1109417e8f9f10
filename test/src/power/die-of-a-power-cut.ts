import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createRandom } from '../support/random.ts'
import { layOnForgetfulDisk } from './forgetful-disk.ts'
import type { PowerCut } from './power-cut.ts'

/*
 * Loaded into the process of an embedded database before anything else. At its moment it kills the daemon, leaves on the disk what
 * a power cut may leave, and dies.
 */

const { folder, seed, operation, afterSignal, report } = JSON.parse(
  process.env['DAYBOOK_TEST_POWER'] ?? '{}',
) as PowerCut
const { writeFileSync } = fs
const disk = layOnForgetfulDisk(fs, folder)
syncBuiltinESMExports()

let last = operation ?? Number.POSITIVE_INFINITY
process.on('SIGUSR2', () => {
  last = disk.operations() + afterSignal
})
disk.onOperation = (number) => {
  if (number < last) return
  process.kill(process.ppid, 'SIGKILL')
  writeFileSync(report, JSON.stringify({ operation: number, ...disk.cutPower(createRandom(seed)) }))
  process.kill(process.pid, 'SIGKILL')
}

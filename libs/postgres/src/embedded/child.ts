import { existsSync, rmSync } from 'node:fs'
import { inspect } from 'node:util'
import { takeLock } from '@daybook/runtime/exclusive-lock'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { beginFolder, HostFolder, keepFilesPrivate, SYNCING, syncFolderOnce } from './host-folder.ts'
import { giveReserveUp, hasRoom, keepReserve } from './log-room.ts'
import type { ChildMessage } from './messages.ts'
import { sharedBuffersFor } from './shared-buffers.ts'

/*
 * The process of the embedded database. It is a separate process because a long statement blocks its thread
 * (an HNSW build over 20,000 vectors takes 7 s), and because WebAssembly memory never shrinks.
 *
 * starting ──lock taken, folder opened, listening──▶ serving ──"stop" or parent gone──▶ stopped
 */

/** Milliseconds until the disk is looked at again. */
const LOOK_MS = 5_000

keepFilesPrivate()

const [dataFolder, lockPath, socketPath, fsync] = process.argv.slice(2) as [string, string, string, string?]
const synced = fsync !== 'off'

const send = (message: ChildMessage) => process.send?.(message)

/** A second process on the folder would destroy it, and PGlite itself takes no lock. */
const lock = takeLock(lockPath)
if (lock === null) {
  send({ type: 'locked' })
  process.exit(1)
}
lock.describe({ parent: process.ppid })

beginFolder(dataFolder, synced)
const onlyReads = !hasRoom(dataFolder)
const database = await PGlite.create({
  fs: new HostFolder(dataFolder, synced, () => {
    const reason = "The disk is full: there is no room for the embedded database's write-ahead log"
    giveReserveUp(dataFolder)
    process.stderr.write(`${reason}. Its process ends, and another one only reads until there is\n`)
    send({ type: 'failed', reason })
    process.exit(1)
  }),
  extensions: { vector },
  startParams: [
    // -F: no syncs.
    ...PGlite.defaultStartParams.filter((option) => !synced || option !== '-F'),
    ...(synced ? SYNCING : []),
    '-c',
    `shared_buffers=${sharedBuffersFor(dataFolder)}MB`,
    // A finished segment is deleted. Used again, it would keep what was erased until it is written over.
    '-c',
    'wal_recycle=off',
    ...(onlyReads ? ['-c', 'default_transaction_read_only=on'] : []),
  ],
}).catch((error: unknown): never => {
  // Unhandled, node would print all of PGlite's minified source beside the error.
  send({ type: 'failed', reason: error instanceof Error ? String(error) : inspect(error) })
  process.exit(1)
})
await syncFolderOnce(dataFolder, synced)
// A killed process left it behind. We hold the lock, so nobody listens on it.
rmSync(socketPath, { force: true })
// One client at a time is served. The others leave room for a reconnect while the old socket is still
// closing.
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 4 })
await server.start()

let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  await server.stop()
  await database.close()
  process.exit(0)
}

process.on('message', (message) => {
  if (message === 'stop') void stop()
})
// The parent died: everything it had accepted is committed or gone, and a new daemon wants the lock.
process.on('disconnect', () => void stop())
// Ctrl-C reaches the whole process group. The parent says when to stop: after the last append.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

if (onlyReads) {
  process.stderr.write('The disk is full: the embedded database only reads until there is room\n')
  setInterval(() => {
    // Its parent starts another one, which writes.
    if (existsSync(dataFolder) && hasRoom(dataFolder)) void stop()
  }, LOOK_MS).unref()
} else keepReserveSoon()

/** Not while others wait for a start, and again until there is room for it. */
function keepReserveSoon(): void {
  setTimeout(async () => {
    if (!(await keepReserve(dataFolder))) keepReserveSoon()
  }, LOOK_MS).unref()
}

send({ type: 'serving' })

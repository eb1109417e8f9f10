import { rmSync } from 'node:fs'
import { takeLock } from '@daybook/runtime/exclusive-lock'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import type { ChildMessage } from './messages.ts'
import { keepFilesPrivate } from './private-files.ts'

/*
 * The embedded database's process. It is a process of its own because a long statement blocks the thread it runs on
 * (an HNSW build over 20,000 rows takes 7 s), and because WebAssembly memory never shrinks.
 *
 * starting ──lock taken, folder opened, listening──▶ serving ──"stop" or parent gone──▶ stopped
 */

keepFilesPrivate()

const [dataFolder, lockPath, socketPath] = process.argv.slice(2) as [string, string, string]

const send = (message: ChildMessage) => process.send?.(message)

/** The folder is destroyed by a second process on it, and PGlite itself takes no lock. */
const lock = takeLock(lockPath)
if (lock === null) {
  send({ type: 'locked' })
  process.exit(1)
}
lock.describe({ parent: process.ppid })

/**
 * PGlite fills all of its shared buffers with zeros at the start, so that they are resident whether used or not: 128 MB by default. What
 * they do not hold the operating system has cached: with 32 MB searches and writes among 10,000 memories take the same processor time, with
 * 16 MB searches take a tenth more.
 */
const SHARED_BUFFERS = '32MB'

const database = await PGlite.create({
  dataDir: dataFolder,
  extensions: { vector },
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
}).catch((error: unknown): never => {
  // Left to node, this would print the whole of PGlite's minified source beside the error.
  send({ type: 'failed', reason: String(error) })
  process.exit(1)
})
// Left behind by a process that was killed. We hold the lock, so nobody listens on it.
rmSync(socketPath, { force: true })
// One client at a time is served; the others are room for a reconnect while the old socket is still closing.
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
// The parent died: whatever it had accepted is committed or gone; a new daemon wants the lock.
process.on('disconnect', () => void stop())
// Ctrl-C reaches the whole process group; the parent says when to stop, after the last append.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

send({ type: 'serving' })

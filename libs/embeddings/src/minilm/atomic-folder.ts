import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Older temporary folders (in milliseconds) belong to killed processes: filling one takes about a second. */
const ABANDONED_AFTER = 60 * 60 * 1000

/**
 * Makes a folder that appears complete or not at all. `fill` writes into a temporary sibling, which is then
 * renamed. Two processes may do this at once: both fill, the first rename wins, and the other's work is
 * discarded. A lock would save that second of work, but would have to be broken after a crash.
 *
 * @param fill gets the temporary folder; what it writes must be on disk when it resolves, see {@link
 * writeDurably}
 */
export async function createFolderAtomically(
  target: string,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const parent = dirname(target)
  const prefix = `.${basename(target)}.tmp-`
  await mkdir(parent, { recursive: true })
  await removeAbandoned(parent, prefix)
  const temporary = await mkdtemp(join(parent, prefix))
  try {
    await fill(temporary)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    // Renaming onto a filled folder fails with a different code on each system; it only matters that the
    // folder exists.
    if (!(await isFolder(target))) throw error
  }
}

/**
 * Writes a file and waits until it is on disk: a rename may survive a power cut although the data before it
 * does not.
 */
export async function writeDurably(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    const info = await stat(path).catch(() => undefined)
    if (info && Date.now() - info.mtimeMs > ABANDONED_AFTER) await rm(path, { recursive: true, force: true })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )
}

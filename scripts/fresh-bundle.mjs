// Provides an up-to-date bundle of a service. Bundles are kept in node_modules/.cache/daybook, from where
// node finds the npm packages. Each has its own folder that never changes, so a running process keeps its
// bundle when a new one is made.
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './repository.mjs'

const CACHE = join(REPOSITORY, 'node_modules/.cache/daybook/bundles')
/** Older ones are deleted: 4 (CLI) to 15 MB (daemon) each. */
const KEPT = 20
/**
 * How old a bundle must be to be deleted, in milliseconds. At a cold start many processes make one each, and a younger one
 * may still be written, or a process is about to start from it: of those of 40 processes at once, 20 were left.
 */
const YOUNG_MS = 600_000
const BUNDLER = ['scripts/bundle.mjs', 'scripts/bundle-console.mjs', 'package-lock.json']

/**
 * Finds a service's bundle, or makes it within some tenths of a second if a source has changed.
 * @param {string} service a folder of `services/`
 * @returns {Promise<string>} the folder with its `main.js`
 */
export const freshBundle = (service) =>
  fresh(service, 'main.js', async (outdir) => {
    // Else node compiles each file as CommonJS first, to find out what it is: a fifth of the CLI's start.
    writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }')
    return (await import('./bundle.mjs')).bundle(service, outdir)
  })

/**
 * The same for the web console.
 * @returns {Promise<string>} the folder with its `index.html`
 */
export const freshConsole = () =>
  fresh('console', 'index.html', async (outdir) =>
    (await import('./bundle-console.mjs')).bundleConsole(outdir),
  )

async function fresh(service, entry, make) {
  const made = join(CACHE, service)
  const newest = join(made, 'newest.json')
  const known = readNewest(newest)
  // Somebody may have deleted the folder but not `newest.json`.
  if (known !== null && existsSync(join(made, known.folder, entry)) && known.sources.every(isUnchanged))
    return join(made, known.folder)

  const folder = `${Date.now()}-${randomBytes(4).toString('hex')}`
  const outdir = join(made, folder)
  mkdirSync(outdir, { recursive: true })
  // npm packages are left out: the lock file covers them.
  const { sources: ours } = await make(outdir)
  const sources = [...ours, `services/${service}/package.json`, ...BUNDLER]
  const written = `${newest}.${folder}`
  writeFileSync(written, JSON.stringify({ folder, sources: sources.map((path) => [path, stampOf(path)]) }))
  renameSync(written, newest)
  for (const old of foldersOf(made).slice(0, -KEPT))
    if (Date.now() - madeAt(old) > YOUNG_MS) rmSync(join(made, old), { recursive: true, force: true })
  return outdir
}

function readNewest(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // There is none yet, or it is damaged: the caller makes a new one.
    return null
  }
}

const isUnchanged = ([path, stamp]) => stampOf(path) === stamp

function stampOf(path) {
  const stat = statSync(join(REPOSITORY, path), { throwIfNoEntry: false })
  return stat === undefined ? 'missing' : `${stat.mtimeMs}-${stat.size}`
}

/** In milliseconds since 1970, which its name begins with. */
const madeAt = (folder) => Number.parseInt(folder, 10)

const foldersOf = (made) =>
  readdirSync(made, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()

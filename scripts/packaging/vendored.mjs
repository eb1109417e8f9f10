// Packages that go into the tarball as they are: whoever installs Daybook, with whatever program, gets the code that was
// tested, and none of its install scripts. A lockfile in the tarball would not do: with npm-shrinkwrap.json npm 11
// installs the packages of all platforms.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { REPOSITORY } from '../repository.mjs'

/** What only developers read. */
const UNUSED = /\.(?:map|[cm]?ts|tsbuildinfo)$/u

/**
 * Finds packages, and what those need, as the repository's lockfile has them. Of other platforms it finds those that
 * are installed here.
 * @param {{ packages: Record<string, object> }} lock the repository's `package-lock.json`
 * @param {string[]} names
 * @returns {string[]} their folders, relative to the repository
 */
export function foldersOf(lock, names) {
  const found = new Set()
  const add = (from, name, required) => {
    const path = pathOf(lock.packages, from, name)
    if (path === undefined && required)
      throw new Error(`package-lock.json has no ${name}, which ${from || 'daybook'} needs`)
    if (path === undefined || found.has(path)) return
    found.add(path)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[path]
    for (const needed of Object.keys(dependencies ?? {})) add(path, needed, true)
    for (const needed of Object.keys(optionalDependencies ?? {})) add(path, needed, false)
    for (const needed of Object.keys(peerDependencies ?? {}))
      if (peerDependenciesMeta?.[needed]?.optional !== true) add(path, needed, true)
  }
  for (const name of names) add('', name, true)
  return [...found].toSorted()
}

/** Where node finds a package from another: in its own `node_modules`, or in that of a folder above. */
function pathOf(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}

/**
 * Copies packages without their scripts, maps and types.
 * @param {string[]} folders relative to the repository
 * @param {string} target the folder in which they get the same places
 */
export function copyPackages(folders, target) {
  for (const folder of folders) {
    cpSync(join(REPOSITORY, folder), join(target, folder), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules' && !UNUSED.test(path),
    })
    const file = join(target, folder, 'package.json')
    const { scripts: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  }
}

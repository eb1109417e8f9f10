// The lockfile that goes into the package: npm installs exactly these versions, checked by their hashes, also where
// Daybook is somebody's dependency. `overrides` would not hold there, and neither would `.npmrc`.

/** Marks of the repository's lockfile that mean nothing to who installs the package. */
const MARKS = ['dev', 'devOptional', 'peer', 'extraneous']

/**
 * Makes `npm-shrinkwrap.json`: the packages that `manifest` depends on, and what those need, as the repository's
 * lockfile has them.
 * @param {{ packages: Record<string, object> }} lock the repository's `package-lock.json`
 * @param {{ name: string, version: string, dependencies: Record<string, string> }} manifest
 */
export function shrinkwrapOf(lock, manifest) {
  const found = new Map()
  const add = (from, name, required) => {
    const path = pathOf(lock.packages, from, name)
    if (path === undefined && required)
      throw new Error(`package-lock.json has no ${name}, which ${from || 'daybook'} needs`)
    if (path === undefined || found.has(path)) return
    // npm runs an install script only of packages that say here that they have one. None of them needs it: those of
    // onnxruntime-node download what is not for us, and fail without a network.
    const { hasInstallScript: _, ...entry } = lock.packages[path]
    for (const mark of MARKS) delete entry[mark]
    found.set(path, { ...entry, resolved: entry.resolved ?? addressOf(entry.name ?? name, entry.version) })
    const optionalPeers = entry.peerDependenciesMeta ?? {}
    for (const needed of Object.keys(entry.dependencies ?? {})) add(path, needed, true)
    // Of other platforms, they are in the lockfile as well.
    for (const needed of Object.keys(entry.optionalDependencies ?? {})) add(path, needed, false)
    for (const needed of Object.keys(entry.peerDependencies ?? {}))
      if (optionalPeers[needed]?.optional !== true) add(path, needed, true)
  }
  for (const name of Object.keys(manifest.dependencies)) add('', name, true)
  const { name, version, license, engines, bin, dependencies } = manifest
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, version, license, dependencies, bin, engines },
      ...Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/**
 * The address of a package, which the repository's lockfile leaves out. With it and the hash npm asks the registry for
 * nothing else, and takes what it has from its cache. Where another registry is configured, npm puts that in.
 */
function addressOf(name, version) {
  return `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`
}

/** Where node finds a package from another: in its own `node_modules`, or in that of a folder above. */
function pathOf(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}

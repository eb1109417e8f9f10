// Makes the npm package `daybook`: one tarball with a bundle of each service, the command `daybook`, and the packages
// that stay outside of the bundles as dependencies; the package of ONNX Runtime for this platform, with --all for each;
// and what is in them, as CycloneDX. The last line printed is the tarball's path.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle, bundleClient } from './bundle.mjs'
import { bundleConsole } from './bundle-console.mjs'
import { billOf } from './packaging/bill.mjs'
import { writeClientTypes } from './packaging/client-types.mjs'
import { licencesOf } from './packaging/licences.mjs'
import { writeOnnxPackages } from './packaging/onnx.mjs'
import { copyPackages, foldersOf } from './packaging/vendored.mjs'
import { REPOSITORY } from './repository.mjs'

/** Packages that other packages use if they are there. They are not, and nothing is missing. */
const NOT_INSTALLED = new Set(['bufferutil', 'pg-native', 'supports-color', 'utf-8-validate'])
/** A package that the code loads by its name, pino in a thread of its own. */
const NAMED = ['pino-pretty']
/** Large packages that bring only their like, in exact versions: installed beside Daybook. The tarball holds the rest. */
const BESIDE = /^@(?:electric-sql|lat\.md)\//u

const readJson = (...path) => JSON.parse(readFileSync(join(REPOSITORY, ...path), 'utf8'))

const { version, license, engines } = readJson('package.json')
const lock = readJson('package-lock.json')
const target = join(REPOSITORY, 'dist/package')
const onnxFolder = join(REPOSITORY, 'dist/onnx')
for (const folder of [target, onnxFolder]) rmSync(folder, { recursive: true, force: true })
mkdirSync(join(target, 'bin'), { recursive: true })

const services = readdirSync(join(REPOSITORY, 'services')).filter(
  (service) =>
    existsSync(join(REPOSITORY, 'services', service, 'package.json')) &&
    readJson('services', service, 'package.json').bundle !== undefined,
)
const [bundled, outside] = [new Set(), new Set(NAMED)]
for (const service of services) {
  const made = await bundle(service, join(target, 'dist', service), { forPackage: true })
  for (const folder of made.bundled) bundled.add(folder)
  for (const name of made.outside) if (!NOT_INSTALLED.has(name)) outside.add(name)
}
const page = await bundleConsole(join(target, 'dist/console'))
// zod is needed by all of the client, so it is in it.
const {
  peerDependencies: { zod: _, ...peerDependencies },
} = readJson('libs/client/package.json')
const client = await bundleClient(join(target, 'dist/client'), Object.keys(peerDependencies))
writeClientTypes(join(target, 'dist/client/types'))
for (const folder of [...page.bundled, ...client]) bundled.add(folder)
const vendored = [...outside].filter((name) => !BESIDE.test(name)).toSorted()
copyPackages(foldersOf(lock, vendored), target)

/** What both kinds of packages say. npm shows a provenance only if `repository` is where the package was built. */
const common = {
  version,
  license,
  engines: { node: engines.node },
  ...(process.env.GITHUB_REPOSITORY && {
    repository: { type: 'git', url: `git+https://github.com/${process.env.GITHUB_REPOSITORY}.git` },
  }),
}

/** Packs a folder into `dist`. @returns what npm says of the tarball, with its path */
function pack(folder) {
  // npm is a script of the shell on Windows, which execFile runs in a shell only.
  const options = {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  }
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', join(REPOSITORY, 'dist')], options),
  )
  return { ...packed, path: join(REPOSITORY, 'dist', packed.filename) }
}

const platforms = writeOnnxPackages(onnxFolder, common)

const manifest = {
  name: 'daybook',
  // By this, MCP's registry knows that whoever publishes `server.json` owns the package.
  mcpName: readJson('server.json').name,
  ...common,
  description: 'A memory for AI agents that can prove what it holds, with its database and embedding model',
  keywords: ['memory', 'agents', 'mcp', 'event-sourcing', 'search'],
  type: 'module',
  bin: { daybook: 'bin/daybook.mjs' },
  exports: {
    './client': { types: './dist/client/types/index.d.ts', default: './dist/client/index.js' },
    './client/ai': { types: './dist/client/types/ai/index.d.ts', default: './dist/client/ai.js' },
    './client/langgraph': {
      types: './dist/client/types/langgraph/index.d.ts',
      default: './dist/client/langgraph.js',
    },
    './package.json': './package.json',
  },
  files: ['bin', 'dist', 'THIRD-PARTY-LICENCES.md'],
  dependencies: Object.fromEntries(
    [...outside].toSorted().map((name) => {
      const { version: locked } = lock.packages[`node_modules/${name}`] ?? {}
      if (locked === undefined)
        throw new Error(`A bundle imports ${name}, which package-lock.json does not have`)
      return [name, locked]
    }),
  ),
  bundleDependencies: vendored,
  peerDependencies,
  peerDependenciesMeta: Object.fromEntries(
    Object.keys(peerDependencies).map((name) => [name, { optional: true }]),
  ),
  optionalDependencies: Object.fromEntries(platforms.map(({ manifest: { name } }) => [name, version])),
}
const write = (file, text) => writeFileSync(join(target, file), text)
const writeJson = (file, value) => write(file, `${JSON.stringify(value, null, 2)}\n`)
writeJson('package.json', manifest)
write('THIRD-PARTY-LICENCES.md', licencesOf([...bundled]))
cpSync(join(REPOSITORY, 'LICENSE'), join(target, 'LICENSE'))
cpSync(join(REPOSITORY, 'scripts/packaging/README.md'), join(target, 'README.md'))
cpSync(join(REPOSITORY, 'scripts/packaging/daybook.mjs'), join(target, 'bin/daybook.mjs'))

// Of which parts it is made. What the bundles and the tarball hold has the versions of the repository's lockfile.
execFileSync(process.execPath, [join(REPOSITORY, 'scripts/sbom.mjs')])
writeFileSync(
  join(REPOSITORY, `dist/daybook-${version}.cdx.json`),
  `${JSON.stringify(
    billOf(
      readJson('dist/sbom.cdx.json'),
      [...bundled, ...foldersOf(lock, [...outside])],
      platforms.map((one) => one.manifest),
    ),
    null,
    2,
  )}\n`,
)

const here = `-${process.platform}-${process.arch}`
const wanted = platforms.filter(
  ({ manifest: { name } }) => process.argv.includes('--all') || name.endsWith(here),
)
const tarballs = [...wanted.map(({ folder }) => folder), target].map(pack)
console.log(`Bundles: ${services.join(', ')}. Dependencies: ${Object.keys(manifest.dependencies).join(', ')}`)
for (const { filename, size, files } of tarballs)
  console.log(`${filename}: ${(size / 1e6).toFixed(1)} MB, ${files.length} files`)
console.log(tarballs.at(-1).path)

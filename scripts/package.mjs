// Makes the npm package `daybook`: one tarball with a bundle of each service, the command `daybook`, and the packages
// that stay outside of the bundles as dependencies. The last line printed is the tarball's path.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { bundleConsole } from './bundle-console.mjs'
import { licencesOf } from './packaging/licences.mjs'
import { shrinkwrapOf } from './packaging/shrinkwrap.mjs'
import { REPOSITORY } from './repository.mjs'

/** Packages that other packages use if they are there. They are not, and nothing is missing. */
const NOT_INSTALLED = new Set(['bufferutil', 'pg-native', 'utf-8-validate'])
/** Packages that the code loads by their names: pino in a thread of its own, transformers.js with `require`. */
const NAMED = ['pino-pretty', 'onnxruntime-node']

const readJson = (...path) => JSON.parse(readFileSync(join(REPOSITORY, ...path), 'utf8'))

const { version, license, engines } = readJson('package.json')
const lock = readJson('package-lock.json')
const target = join(REPOSITORY, 'dist/package')
rmSync(target, { recursive: true, force: true })
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
for (const folder of page.bundled) bundled.add(folder)

const manifest = {
  name: 'daybook',
  // By this, MCP's registry knows that whoever publishes `server.json` owns the package.
  mcpName: readJson('server.json').name,
  version,
  description: 'A memory for AI agents that can prove what it holds, with its database and embedding model',
  keywords: ['memory', 'agents', 'mcp', 'event-sourcing', 'search'],
  license,
  type: 'module',
  engines: { node: engines.node },
  bin: { daybook: 'bin/daybook.mjs' },
  files: ['bin', 'dist', 'THIRD-PARTY-LICENCES.md', 'npm-shrinkwrap.json'],
  dependencies: Object.fromEntries(
    [...outside].toSorted().map((name) => {
      const { version: locked } = lock.packages[`node_modules/${name}`] ?? {}
      if (locked === undefined)
        throw new Error(`A bundle imports ${name}, which package-lock.json does not have`)
      return [name, locked]
    }),
  ),
}
const write = (file, text) => writeFileSync(join(target, file), text)
const writeJson = (file, value) => write(file, `${JSON.stringify(value, null, 2)}\n`)
writeJson('package.json', manifest)
writeJson('npm-shrinkwrap.json', shrinkwrapOf(lock, manifest))
write('THIRD-PARTY-LICENCES.md', licencesOf([...bundled]))
cpSync(join(REPOSITORY, 'LICENSE'), join(target, 'LICENSE'))
cpSync(join(REPOSITORY, 'scripts/packaging/README.md'), join(target, 'README.md'))
cpSync(join(REPOSITORY, 'scripts/packaging/daybook.mjs'), join(target, 'bin/daybook.mjs'))

// npm is a script of the shell on Windows, which execFile runs in a shell only.
const options = {
  cwd: target,
  encoding: 'utf8',
  shell: process.platform === 'win32',
  stdio: ['ignore', 'pipe', 'inherit'],
}
const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', '..'], options))
const tarball = join(REPOSITORY, 'dist', packed.filename)
console.log(`Bundles: ${services.join(', ')}. Dependencies: ${Object.keys(manifest.dependencies).join(', ')}`)
console.log(`${(statSync(tarball).size / 1e6).toFixed(1)} MB, ${packed.files.length} files`)
console.log(tarball)

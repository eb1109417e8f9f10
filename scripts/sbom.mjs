// Writes what a release says of its parts: `dist/sbom.cdx.json` (CycloneDX, by `npm sbom`) and `dist/licences.md`, of
// the packages that run in production. With --check it writes nothing. Either way it refuses a package whose licence
// nobody has allowed, or whose content the lockfile does not bind to the registry by a hash.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './repository.mjs'

/** Licences under which others may run and pass on what they get from us. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'Unlicense',
])

/** Packages under other licences, with the reason why they are in. */
const ALLOWED_PACKAGES = [
  // libvips, which sharp loads as a shared library of its own and which anyone can replace.
  { name: /^@img\/sharp-(?:libvips-|win32-|wasm32)/u, licence: /LGPL-3\.0-or-later/u },
]

const SUFFICES = { AND: (parts) => parts.every(isAllowed), OR: (parts) => parts.some(isAllowed) }

/** Whether an SPDX expression allows what we do. Expressions of one kind of operator are all that npm packages use. */
function isAllowed(expression) {
  const plain = expression.replace(/^\((.*)\)$/u, '$1')
  const operator = / (AND|OR) /u.exec(plain)?.[1]
  return operator === undefined ? ALLOWED.has(plain) : SUFFICES[operator](plain.split(` ${operator} `))
}

const licenceOf = ({ licenses = [] }) =>
  licenses.map((one) => one.expression ?? one.license.id ?? one.license.name).join(' AND ') || 'none stated'

const { packages } = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'))

/** Of the packages that run in production, as `npm sbom` writes it. */
function readBill() {
  // From the lockfile, so that it names the packages of every platform. Without `--omit dev`, which leaves out whatever
  // anything needs for development: pg and graphql, too.
  const options = ['--sbom-format', 'cyclonedx', '--package-lock-only']
  const bill = JSON.parse(
    execFileSync('npm', ['sbom', ...options], {
      cwd: REPOSITORY,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const inProduction = new Set(
    Object.entries(packages)
      .filter(([path, { dev }]) => path !== '' && dev !== true)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  )
  const kept = ({ 'bom-ref': ref }) => inProduction.has(ref)
  const refs = new Set(bill.components.filter(kept).map((one) => one['bom-ref']))
  const root = bill.metadata.component
  // npm takes the folder's name.
  root.name = packages[''].name
  return {
    ...bill,
    components: bill.components.filter(kept),
    dependencies: bill.dependencies
      .filter(({ ref }) => ref === root['bom-ref'] || refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  }
}

function unboundPackages() {
  const problems = []
  for (const [path, { integrity, resolved, link }] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || link === true) continue
    if (!integrity?.startsWith('sha512-')) problems.push(`${path} has no SHA-512 in package-lock.json`)
    if (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'))
      problems.push(`${path} comes from ${resolved}, not from the npm registry`)
  }
  return problems
}

const bill = readBill()
const foreign = bill.components
  .filter(({ properties }) => !properties?.some(({ name }) => name === 'cdx:npm:package:private'))
  .map((one) => ({ name: one.name, version: one.version, licence: licenceOf(one) }))
  .toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'))
const refused = foreign
  .filter(
    ({ name, licence }) =>
      !isAllowed(licence) &&
      !ALLOWED_PACKAGES.some((one) => one.name.test(name) && one.licence.test(licence)),
  )
  .map(
    ({ name, version, licence }) =>
      `${name} ${version}: its licence, ${licence}, is not among those allowed in scripts/sbom.mjs`,
  )
const problems = [...unboundPackages(), ...refused]
if (problems.length > 0) {
  for (const problem of problems) console.error(problem)
  process.exit(1)
}
if (process.argv.includes('--check'))
  console.log(`${foreign.length} packages, all bound by the lockfile and under allowed licences`)
else {
  const folder = join(REPOSITORY, 'dist')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`)
  const rows = foreign.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  writeFileSync(
    join(folder, 'licences.md'),
    [
      '# Packages in this release, and their licences',
      '',
      '| package | version | licence |',
      '|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  )
  console.log(`Wrote dist/sbom.cdx.json and dist/licences.md: ${foreign.length} packages`)
}

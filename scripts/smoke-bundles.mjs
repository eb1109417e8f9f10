// Tests the bundles as an image uses them: starts the daemon in an empty folder, and remembers and searches
// with the CLI.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const dataDir = mkdtempSync(join(tmpdir(), 'daybook-smoke-'))
const environment = { ...process.env, DAYBOOK_DATA_DIR: dataDir, DAYBOOK_PORT: '0' }
const daemon = spawn(process.execPath, ['services/daemon/dist/main.js'], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
})

const url = await new Promise((resolve, reject) => {
  let printed = ''
  daemon.stdout.on('data', (chunk) => {
    printed += chunk
    const found = /ready at (http:\S+)/u.exec(printed)?.[1]
    if (found) resolve(found)
  })
  daemon.once('exit', () => reject(new Error(`the daemon ended before it was ready:\n${printed}`)))
})

function daybook(...args) {
  const result = spawnSync(process.execPath, ['services/cli/dist/main.js', '--json', ...args], {
    env: { ...environment, DAYBOOK_URL: url },
    encoding: 'utf8',
  })
  if (result.status !== 0)
    throw new Error(
      `daybook ${args.join(' ')} ended with ${result.status}:\n${result.stdout}${result.stderr}`,
    )
  return result.stdout
}

try {
  const { url: link } = JSON.parse(daybook('console'))
  const page = await fetch(new URL('/', link), { headers: { accept: 'text/html' } })
  const script = /src="(\/console\/assets\/main-[^"]+)"/u.exec(await page.text())?.[1]
  if (script === undefined || !(await fetch(new URL(script, link))).ok)
    throw new Error('it serves no console')
  daybook('remember', 'stash', '--name', 'auth-flow', 'User authentication implementation with JWT tokens')
  for (let tries = 0; ; tries += 1) {
    if (daybook('search', 'login system').includes('auth-flow')) break
    if (tries > 50) throw new Error('the stash was not found by its meaning')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const ended = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGTERM')
  const code = await ended
  if (code !== 0) throw new Error(`the daemon stopped with ${code}`)
  console.log('The bundles work: remembered, found by meaning, stopped cleanly.')
} finally {
  daemon.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
}

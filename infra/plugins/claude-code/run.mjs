// Runs `daybook` for the plugin: the installed one, which starts at once and asks no registry, else the package.
//
//   node run.mjs mcp                      the MCP server, with `npx -y`
//   node run.mjs hook session-start      a hook: only if it is here already, for a session waits for it
//
// The copies in both plugins are the same; test/src/infra/plugins.e2e.test.ts compares them.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const given = process.argv.slice(2)
const isHook = given[0] === 'hook'
const isWindows = process.platform === 'win32'

const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
const isInstalled = folders.some((folder) => existsSync(join(folder, isWindows ? 'daybook.cmd' : 'daybook')))
const [command, ...args] = isInstalled
  ? ['daybook', ...given]
  : ['npx', isHook ? '--no' : '-y', 'daybook', ...given]

// Windows runs scripts such as npx only through a shell; nothing here needs quotes.
const child = spawn(command, args, {
  stdio: isHook ? ['inherit', 'inherit', 'pipe'] : 'inherit',
  shell: isWindows,
})
let said = ''
child.stderr?.setEncoding('utf8').on('data', (text) => (said += text))
child.on('error', (error) => end(error.code === 'ENOENT' ? 127 : 1))
child.on('close', (code) => end(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))

function end(code) {
  if (!isHook) process.exit(code)
  // A hook that fails must not disturb the session; what npm says of a missing package helps nobody.
  if (code === 0) process.stderr.write(said)
  else process.stderr.write('Daybook is not installed here: npm install --global daybook\n')
  process.exit(0)
}

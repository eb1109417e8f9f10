// Runs the installed `daybook` for the plugin. It never asks a registry for one: whoever owned the name there would run code here.
//
//   node run.mjs mcp                     the MCP server
//   node run.mjs hook session-start      a hook
//
// The copies in both plugins are the same; test/src/infra/plugins.e2e.test.ts compares them.
import { spawn } from 'node:child_process'

const given = process.argv.slice(2)
const isHook = given[0] === 'hook'

// Windows runs scripts such as daybook.cmd only through a shell; nothing here needs quotes.
const child = spawn('daybook', given, { stdio: 'inherit', shell: process.platform === 'win32' })
child.on('error', (error) => {
  const isMissing = error.code === 'ENOENT'
  process.stderr.write(
    isMissing
      ? 'Daybook is not installed here: no "daybook" is in the PATH\n'
      : `Daybook does not start: ${error.message}\n`,
  )
  end(isMissing ? 127 : 1)
})
child.on('close', (code) => end(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))

/** A hook that fails must not disturb the session. */
function end(code) {
  process.exit(isHook ? 0 : code)
}

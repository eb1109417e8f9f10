import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Service managers for machines without: scripts in PATH that record what they are asked, and run the command of the service's
 * file as the manager would. They keep what they know in the home folder: `calls`, `enabled`, `pid`, `code`.
 */

/** What both have in common. */
const COMMON = `
const { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { spawn } = require('node:child_process')
const home = process.env.HOME
const asked = process.argv.slice(2)
appendFileSync(home + '/calls', asked.join(' ') + '\\n')
const read = (name) => (existsSync(home + '/' + name) ? readFileSync(home + '/' + name, 'utf8').trim() : '')
const pidOf = () => Number(read('pid'))
const rest = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
const isAlive = (pid) => {
  try { process.kill(pid, 0) } catch { return false }
  return true
}
const alive = () => pidOf() > 0 && isAlive(pidOf())
const failed = () => !alive() && !['', '0'].includes(read('code'))
// The shell stays until the program has ended, and writes down how.
const KEEP = '"$@" & echo $! > "$HOME/pid"; wait $!; echo $? > "$HOME/code"'
const start = (command, environment, cwd) => {
  if (alive()) return
  rmSync(home + '/pid', { force: true })
  rmSync(home + '/code', { force: true })
  const env = { HOME: home, PATH: process.env.PATH, ...environment }
  spawn('sh', ['-c', KEEP, 'sh', ...command], { cwd, env, detached: true, stdio: 'ignore' }).unref()
  while (read('pid') === '') rest()
}
const stop = () => {
  const pid = pidOf()
  if (alive()) process.kill(pid, 'SIGTERM')
  while (pid > 0 && isAlive(pid)) rest()
}
const fail = (text, code) => { console.error(text); process.exit(code) }
`

const SYSTEMCTL = `
const file = home + '/.config/systemd/user/daybook.service'
const unquote = (word) => word.slice(1, -1).replaceAll('%%', '%')
const begin = () => {
  const text = readFileSync(file, 'utf8')
  const command = text.match(/^ExecStart=(.*)$/m)[1].match(/"[^"]*"/g).map(unquote)
  const environment = [...text.matchAll(/^Environment=(.*)$/gm)].map(([, one]) => unquote(one).split(/=(.*)/s).slice(0, 2))
  start(command, Object.fromEntries(environment), text.match(/^WorkingDirectory=-(.*)$/m)[1])
}
const [user, verb] = asked
if (user !== '--user') fail('only --user', 1)
if (verb === 'show-environment' && existsSync(home + '/no-bus')) fail('Failed to connect to bus: No medium found', 1)
if (verb === 'is-enabled' && !existsSync(home + '/enabled')) fail('disabled', 1)
if (verb === 'enable') { writeFileSync(home + '/enabled', ''); begin() }
if (verb === 'disable') { rmSync(home + '/enabled', { force: true }); stop() }
if (verb === 'restart') { stop(); begin() }
if (verb === 'show') {
  console.log('ActiveState=' + (alive() ? 'active' : failed() ? 'failed' : 'inactive'))
  console.log('MainPID=' + (alive() ? pidOf() : 0) + '\\nNRestarts=0\\nResult=' + (failed() ? 'exit-code' : 'success'))
}
`

const LAUNCHCTL = `
const file = home + '/Library/LaunchAgents/local.daybook.daemon.plist'
const begin = () => {
  const text = readFileSync(file, 'utf8')
  const strings = (part) => [...part.matchAll(/<string>([^<]*)</g)].map(([, one]) => one)
  const command = strings(text.match(/ProgramArguments<\\/key>\\s*<array>([^]*?)<\\/array>/)[1])
  const part = text.match(/EnvironmentVariables<\\/key>\\s*<dict>([^]*?)<\\/dict>/)[1]
  const names = [...part.matchAll(/<key>([^<]*)</g)].map(([, one]) => one)
  const values = strings(part)
  start(command, Object.fromEntries(names.map((name, at) => [name, values[at]])), strings(text.split('WorkingDirectory')[1])[0])
}
const [verb, target] = asked
if (!target.startsWith('gui/501')) fail('Could not find domain', 113)
if (verb === 'bootstrap') {
  if (existsSync(home + '/enabled')) fail('Bootstrap failed: 5: Input/output error', 5)
  writeFileSync(home + '/enabled', '')
  begin()
}
if (verb === 'kickstart') begin()
if (verb === 'bootout') { stop(); rmSync(home + '/enabled') }
if (verb === 'print' && target !== 'gui/501') {
  if (!existsSync(home + '/enabled')) fail('Could not find service', 113)
  console.log(alive() ? '\\tstate = running\\n\\tpid = ' + pidOf() : '\\tstate = not running\\n\\tlast exit code = ' + (read('code') || '(never exited)'))
}
`

/** Managers that are not systemd's and macOS's own. */
export interface StubManagers {
  /** To be put first into PATH. */
  readonly folder: string
  /** What they were asked, in order, without questions about how things are. */
  calls(): readonly string[]
}

const QUESTIONS = /^(?:--user )?(?:show|is-enabled|show-environment|print)\b/u

/** Writes `systemctl` and `launchctl` into a folder of their own in this home. */
export function stubManagers(home: string): StubManagers {
  const folder = join(home, 'stubs')
  mkdirSync(folder)
  for (const [name, code] of [
    ['systemctl', SYSTEMCTL],
    ['launchctl', LAUNCHCTL],
  ] as const) {
    // A script without an ending is CommonJS.
    writeFileSync(join(folder, name), `#!${process.execPath}\n${COMMON}${code}`)
    chmodSync(join(folder, name), 0o755)
  }
  return {
    folder,
    calls: () =>
      readFileSync(join(home, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !QUESTIONS.test(line)),
  }
}

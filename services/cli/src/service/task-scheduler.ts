import { win32 } from 'node:path'
import { daemonState } from '@daybook/local-daemon/daemon-state'
import { failureSince, logPathOf } from '@daybook/local-daemon/start-daemon'
import { stopDaemon } from '@daybook/local-daemon/stop-daemon'
import { readConfig } from '../mcp/config/config-file.ts'
import {
  MARK,
  runTool,
  ServiceError,
  type ServiceManager,
  type ServicePlace,
  type ServiceProgram,
  tryTool,
} from './service-manager.ts'

/** Names of tasks are those of the machine, so each user has another. */
const nameOf = ({ environment }: ServicePlace) => `Daybook ${environment['USERNAME'] ?? ''}`.trim()

/** An element by its name, with a text or further elements. */
type Element = readonly [name: string, content: string | readonly Element[]]

/**
 * The task of a user that keeps a daemon running. A console without a window is conhost's: a task of a user who is logged in gets one with a
 * window otherwise, and `Hidden` only hides the task itself. Without the user's log-in (`S4U`) only administrators may make one.
 */
function taskXml({ command, dataDir, environment }: ServiceProgram, place: ServicePlace): string {
  const user = [place.environment['USERDOMAIN'], place.environment['USERNAME']].filter(Boolean).join('\\')
  // conhost and node take words apart in one way, and cmd in another one: so there is no cmd in between.
  const words = [...command, 'service', 'run', ...settingsOf(environment)].map(quoted)
  const task: Element[] = [
    ['RegistrationInfo', [['Description', 'Daybook, the memory for AI agents']]],
    ['Triggers', [['LogonTrigger', [['UserId', user]]]]],
    [
      'Principals',
      [
        [
          'Principal',
          [
            ['UserId', user],
            ['LogonType', 'InteractiveToken'],
            ['RunLevel', 'LeastPrivilege'],
          ],
        ],
      ],
    ],
    [
      'Settings',
      [
        ['MultipleInstancesPolicy', 'IgnoreNew'],
        ['DisallowStartIfOnBatteries', 'false'],
        ['StopIfGoingOnBatteries', 'false'],
        ['ExecutionTimeLimit', 'PT0S'],
        // If it cannot be run at all. After that `service run` starts the daemon again: conhost always ends with 0.
        [
          'RestartOnFailure',
          [
            ['Interval', 'PT1M'],
            ['Count', '5'],
          ],
        ],
      ],
    ],
    [
      'Actions',
      [
        [
          'Exec',
          [
            ['Command', String.raw`%SystemRoot%\System32\conhost.exe`],
            ['Arguments', `--headless ${words.join(' ')}`],
            ['WorkingDirectory', dataDir],
          ],
        ],
      ],
    ],
  ]
  return [
    '<?xml version="1.0"?>',
    `<!-- ${MARK}; "daybook service uninstall" removes it. -->`,
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    ...task.flatMap((one) => lines(one, '  ')),
    '</Task>',
    '',
  ].join('\r\n')
}

const settingsOf = (environment: ServiceProgram['environment']) =>
  Object.entries(environment).map(([name, value]) => `${name}=${value}`)

function lines([name, content]: Element, indent: string): string[] {
  if (typeof content === 'string') return [`${indent}<${name}>${escaped(content)}</${name}>`]
  return [`${indent}<${name}>`, ...content.flatMap((one) => lines(one, `${indent}  `)), `${indent}</${name}>`]
}

/** Text of XML in ASCII, which is the same in every encoding that schtasks may take the file for. */
const escaped = (text: string) =>
  text.replace(/[&<>]|[^ -~]/gu, (one) => `&#x${(one.codePointAt(0) as number).toString(16)};`)

const unescaped = (text: string) =>
  text.replace(/&#x(?<code>[\da-f]+);/gu, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )

/**
 * A word of a command line in quotes. Backslashes stand for themselves but before a quote.
 * Source: CommandLineToArgvW
 */
const quoted = (word: string) => `"${word.replace(/(\\*)"/gu, String.raw`$1$1\"`).replace(/\\+$/u, '$&$&')}"`

const dataDirOfTask = (text: string): string | null => {
  const found = /<WorkingDirectory>(?<path>[^<]*)<\/WorkingDirectory>/u.exec(text)?.groups?.['path']
  return found === undefined ? null : unescaped(found)
}

const file = ({ home, environment }: ServicePlace) =>
  win32.join(environment['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'daybook', 'service.xml')

/** The result of a task that runs (SCHED_S_TASK_RUNNING). Its other words are in the language of the system. */
const RUNNING = '"267009"'

/** The arguments that schtasks is called with. */
const CALLS = {
  create: (place: ServicePlace) => ['/create', '/f', '/tn', nameOf(place), '/xml', file(place)],
  run: (place: ServicePlace) => ['/run', '/tn', nameOf(place)],
  end: (place: ServicePlace) => ['/end', '/tn', nameOf(place)],
  delete: (place: ServicePlace) => ['/delete', '/f', '/tn', nameOf(place)],
} as const

const shown = (words: readonly string[]) =>
  ['schtasks', ...words.map((one) => (one.startsWith('/') ? one : quoted(one)))].join(' ')

/**
 * Windows' Task Scheduler: a task of one user, which runs while that user is logged in.
 * Source: schtasks, Task Scheduler Schema
 */
export const taskScheduler: ServiceManager = {
  title: 'task of Task Scheduler',
  program: 'cli',
  file,
  text: taskXml,
  dataDirOf: dataDirOfTask,
  commands: (place) => ({
    start: [shown(CALLS.create(place)), shown(CALLS.run(place))],
    stop: [shown(CALLS.end(place)), shown(CALLS.delete(place))],
  }),
  log: logPathOf,
  note: 'It runs while you are logged in.',

  async check(place) {
    const { exitCode, stderr } = await tryTool(place, 'schtasks', '/?')
    if (exitCode === 0) return
    throw new ServiceError('SERVICE_MANAGER', `Task Scheduler does not answer: ${stderr.trim()}`, [
      'Without it:  daybook start --detach',
    ])
  },

  async state(place) {
    const { exitCode, stdout } = await tryTool(
      place,
      ...(['schtasks', '/query', '/tn', nameOf(place), '/fo', 'csv', '/v', '/nh'] as const),
    )
    const dataDir = installedFolder(place)
    const daemon = dataDir === null ? null : daemonState(dataDir)
    const running = stdout.includes(RUNNING) && daemon !== null && daemon.state !== 'free'
    return {
      enabled: exitCode === 0,
      running,
      failing: exitCode === 0 && daemon?.state === 'free' && failureSince(dataDir as string, 0) !== null,
      pid: running ? daemon.pid : null,
    }
  },

  async start(place, changed) {
    const { enabled, running } = await taskScheduler.state(place)
    if (changed && enabled) await taskScheduler.end?.(place)
    if (changed || !enabled) await runTool(place, 'schtasks', ...CALLS.create(place))
    if (changed || !running) await runTool(place, 'schtasks', ...CALLS.run(place))
  },

  async end(place) {
    // First what would start the daemon again. It fails if that does not run.
    await tryTool(place, 'schtasks', ...CALLS.end(place))
    const dataDir = installedFolder(place)
    if (dataDir !== null) await stopDaemon({ dataDir })
  },

  async stop(place) {
    await taskScheduler.end?.(place)
    const { enabled } = await taskScheduler.state(place)
    if (enabled) await runTool(place, 'schtasks', ...CALLS.delete(place))
  },

  async forget() {},
}

/** The data folder of the installed service; null if none is. */
function installedFolder(place: ServicePlace): string | null {
  const { text } = readConfig(file(place))
  return text === null ? null : dataDirOfTask(text)
}

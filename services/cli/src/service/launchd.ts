import { join } from 'node:path'
import { logPathOf } from '@daybook/local-daemon/start-daemon'
import { STOP_TIMEOUT_MS } from '@daybook/local-daemon/stop-daemon'
import { pause } from '@daybook/runtime/backoff'
import {
  MARK,
  runTool,
  ServiceError,
  type ServiceManager,
  type ServicePlace,
  type ServiceProgram,
  tryTool,
} from './service-manager.ts'

/** The name of Daybook's agent. */
const LABEL = 'local.daybook.daemon'

/** A property list's value. */
type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value }

/** The property list of a launchd agent that runs a daemon. launchd knows no sandbox that an agent could ask for. */
function launchdPlist({ command, dataDir, environment }: ServiceProgram): string {
  const log = logPathOf(dataDir)
  const agent: Value = {
    Label: LABEL,
    ProgramArguments: command,
    WorkingDirectory: dataDir,
    EnvironmentVariables: environment,
    RunAtLoad: true,
    // Again after a failure, not after "daybook stop".
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    ExitTimeOut: STOP_TIMEOUT_MS / 1000,
    Umask: 0o077,
    StandardOutPath: log,
    StandardErrorPath: log,
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${MARK}; "daybook service uninstall" removes it. -->`,
    '<plist version="1.0">',
    ...lines(agent, ''),
    '</plist>',
    '',
  ].join('\n')
}

/** The data folder that a property list names; null if it names none. */
function dataDirOfPlist(text: string): string | null {
  const found = /<key>DAYBOOK_DATA_DIR<\/key>\s*<string>(?<value>[^<]*)<\/string>/u.exec(text)?.groups?.[
    'value'
  ]
  return found?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') ?? null
}

function lines(value: Value, indent: string): string[] {
  if (typeof value === 'string') return [`${indent}<string>${escaped(value)}</string>`]
  if (typeof value === 'number') return [`${indent}<integer>${value}</integer>`]
  if (typeof value === 'boolean') return [`${indent}<${value}/>`]
  const deeper = `${indent}  `
  if (Array.isArray(value))
    return [`${indent}<array>`, ...value.flatMap((one) => lines(one, deeper)), `${indent}</array>`]
  const entries = Object.entries(value as { readonly [name: string]: Value })
  return [
    `${indent}<dict>`,
    ...entries.flatMap(([name, one]) => [`${deeper}<key>${escaped(name)}</key>`, ...lines(one, deeper)]),
    `${indent}</dict>`,
  ]
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The user's session with windows, to which agents belong. */
const domain = ({ uid }: ServicePlace) => `gui/${uid}`

const target = (place: ServicePlace) => `${domain(place)}/${LABEL}`

const file = ({ home }: ServicePlace) => join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`)

/** How often to look whether an agent is gone, in milliseconds. */
const LOOK_MS = 200

/**
 * macOS's manager of agents, which run while their user is logged in.
 * Source: launchctl(1), launchd.plist(5)
 */
export const launchd: ServiceManager = {
  title: 'launchd agent',
  program: 'daemon',
  file,
  text: launchdPlist,
  dataDirOf: dataDirOfPlist,
  commands: (place) => ({
    start: [`launchctl enable ${target(place)}`, `launchctl bootstrap ${domain(place)} ${file(place)}`],
    stop: [`launchctl bootout ${target(place)}`],
  }),
  log: logPathOf,
  note: 'It runs while you are logged in.',

  async check(place) {
    const { exitCode, stderr } = await tryTool(place, 'launchctl', 'print', domain(place))
    if (exitCode === 0) return
    throw new ServiceError(
      'SERVICE_MANAGER',
      `launchd does not run agents for this user here: ${stderr.trim() || 'the user has no session with windows'}`,
      ['Log in at the machine itself, and try again', 'Without launchd:  daybook start --detach'],
    )
  },

  async state(place) {
    const { exitCode, stdout } = await tryTool(place, 'launchctl', 'print', target(place))
    const pid = /^\s*pid = (\d+)$/mu.exec(stdout)?.[1]
    const running = /^\s*state = running$/mu.test(stdout)
    const lastCode = /^\s*last exit code = (\S+)/mu.exec(stdout)?.[1] ?? '0'
    return {
      enabled: exitCode === 0,
      running,
      failing: !running && /^[1-9]/u.test(lastCode),
      pid: pid === undefined ? null : Number(pid),
    }
  },

  async start(place, changed) {
    const { enabled, running } = await launchd.state(place)
    if (enabled && changed) await bootOut(place)
    if (!enabled || changed) {
      // Somebody may have switched it off, which launchd remembers beyond the file.
      await runTool(place, 'launchctl', 'enable', target(place))
      return void (await runTool(place, 'launchctl', 'bootstrap', domain(place), file(place)))
    }
    if (!running) await runTool(place, 'launchctl', 'kickstart', target(place))
  },

  async stop(place) {
    const { enabled } = await launchd.state(place)
    if (enabled) await bootOut(place)
  },

  async forget() {},
}

/** Takes the agent away and waits until it is gone: before that it could not be loaded again. */
async function bootOut(place: ServicePlace): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS
  await runTool(place, 'launchctl', 'bootout', target(place))
  while ((await launchd.state(place)).enabled) {
    if (Date.now() > deadline)
      throw new ServiceError('SERVICE_MANAGER', `launchd has not ended ${LABEL} in time.`, [
        `See what it does:  launchctl print ${target(place)}`,
      ])
    await pause(LOOK_MS)
  }
}

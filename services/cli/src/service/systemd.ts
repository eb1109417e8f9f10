import { join } from 'node:path'
import { STOP_TIMEOUT_MS } from '@daybook/local-daemon/stop-daemon'
import {
  MARK,
  runTool,
  ServiceError,
  type ServiceManager,
  type ServiceProgram,
  tryTool,
} from './service-manager.ts'

/**
 * What the daemon may still do. A manager of one user can set these without rights, because they only need seccomp. What needs a mount
 * namespace (`ProtectSystem`, `PrivateTmp`) is left out: with unprivileged user namespaces switched off, as on Ubuntu 24.04, such a unit
 * does not start. `MemoryDenyWriteExecute` is left out because V8 compiles JavaScript and PGlite's WebAssembly to memory that it executes.
 */
const SANDBOX = [
  '# No program that it starts gets more rights than it has.',
  'NoNewPrivileges=yes',
  'RestrictSUIDSGID=yes',
  '# The API and its clients, the database’s socket, and looking up names.',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  '# node, PGlite and the model need what servers need, and no namespaces, real time or other architectures.',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
  'SystemCallArchitectures=native',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'LockPersonality=yes',
]

/** The systemd user unit of a daemon. */
function systemdUnit({ command, dataDir, environment }: ServiceProgram): string {
  const [program, ...args] = command
  return [
    `# ${MARK}; "daybook service uninstall" removes it.`,
    '# Changes of yours belong into a drop-in:  systemctl --user edit daybook',
    '[Unit]',
    'Description=Daybook, the memory for AI agents',
    '# A daemon that fails again and again, such as for a wrong setting, is left stopped after a while.',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${[quoted(program), ...args.map((one) => quoted(one).replaceAll('$', '$$$$'))].join(' ')}`,
    // It makes a folder that is missing.
    `WorkingDirectory=-${dataDir.replaceAll('%', '%%')}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'Restart=on-failure',
    'RestartSec=5',
    '# It ends its own database; whatever is left after that is killed.',
    'KillMode=mixed',
    `TimeoutStopSec=${STOP_TIMEOUT_MS / 1000}`,
    'UMask=0077',
    '',
    ...SANDBOX,
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** The data folder that a unit names; null if it names none. */
function dataDirOfUnit(text: string): string | null {
  const word = /^Environment="DAYBOOK_DATA_DIR=(?<word>.*)"$/mu.exec(text)?.groups?.['word']
  return (
    word
      ?.replaceAll('%%', '%')
      .replace(/\\(?:x(?<code>[\da-f]{2})|(?<plain>.))/gu, (_, code: string | undefined, plain: string) =>
        code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
      ) ?? null
  )
}

/** A word as systemd reads it: in quotes, with `%` doubled, and escapes of C. */
function quoted(word: string): string {
  const inUnit = word
    .replace(/["\\]/gu, String.raw`\$&`)
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001F\u007F]/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('%', '%%')
  return `"${inUnit}"`
}

const UNIT = 'daybook.service'

/**
 * systemd's manager of one user. It runs while that user is logged in, or from the machine's start where the user lingers.
 * Source: systemd.unit(5) ("User Unit Search Path"), systemd.service(5), systemd.exec(5)
 */
export const systemd: ServiceManager = {
  title: 'systemd user unit',
  program: 'daemon',
  file: ({ home, environment }) =>
    join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user', UNIT),
  text: systemdUnit,
  dataDirOf: dataDirOfUnit,
  commands: () => ({
    start: ['systemctl --user daemon-reload', `systemctl --user enable --now ${UNIT}`],
    stop: [`systemctl --user disable --now ${UNIT}`, 'systemctl --user daemon-reload'],
  }),
  log: () => `journalctl --user --unit ${UNIT}`,
  note: 'It runs while you are logged in. To let it run from the machine’s start on:  loginctl enable-linger',

  async check(place) {
    const { exitCode, stderr } = await tryTool(place, 'systemctl', '--user', 'show-environment')
    if (exitCode === 0) return
    throw new ServiceError(
      'SERVICE_MANAGER',
      `systemd does not run services for this user here: ${stderr.trim() || 'systemctl --user does not answer'}`,
      [
        'After su or sudo:      log in as the user itself, such as with ssh, and try again',
        'Without systemd:       daybook start --detach',
        'In a container:        daybook start, as the command that it runs',
      ],
    )
  },

  async state(place) {
    const [enabled, shown] = await Promise.all([
      tryTool(place, 'systemctl', '--user', 'is-enabled', UNIT),
      tryTool(place, 'systemctl', '--user', 'show', '--property=ActiveState,MainPID,NRestarts,Result', UNIT),
    ])
    const said = Object.fromEntries(
      shown.stdout.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
    ) as Readonly<Record<string, string | undefined>>
    const pid = Number(said['MainPID'] ?? 0)
    return {
      enabled: enabled.exitCode === 0,
      running: said['ActiveState'] === 'active',
      // `activating` is the pause before it is started again.
      failing:
        said['ActiveState'] === 'failed' ||
        (said['Result'] ?? 'success') !== 'success' ||
        Number(said['NRestarts'] ?? 0) > 0,
      pid: pid > 0 ? pid : null,
    }
  },

  async start(place, changed) {
    await runTool(place, 'systemctl', '--user', 'daemon-reload')
    // After too many failures it would not be started; that it does not know the unit yet does not matter.
    await tryTool(place, 'systemctl', '--user', 'reset-failed', UNIT)
    const { running } = await systemd.state(place)
    if (running && changed) await runTool(place, 'systemctl', '--user', 'restart', UNIT)
    await runTool(place, 'systemctl', '--user', 'enable', '--now', UNIT)
  },

  async stop(place) {
    await runTool(place, 'systemctl', '--user', 'disable', '--now', UNIT)
  },

  async forget(place) {
    await runTool(place, 'systemctl', '--user', 'daemon-reload')
    await tryTool(place, 'systemctl', '--user', 'reset-failed', UNIT)
  },
}

import { STOP_TIMEOUT_MS } from '@daybook/local-daemon/stop-daemon'
import { MARK, type ServiceProgram } from './service-manager.ts'

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
export function systemdUnit({ command, dataDir, environment }: ServiceProgram): string {
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
export function dataDirOfUnit(text: string): string | null {
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
  const escaped = word
    .replace(/["\\]/gu, String.raw`\$&`)
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001F\u007F]/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('%', '%%')
  return `"${escaped}"`
}

import { logPathOf } from '@daybook/local-daemon/log-file'
import { STOP_TIMEOUT_MS } from '@daybook/local-daemon/stop-daemon'
import { MARK, type ServiceProgram } from './service-manager.ts'

/** The name of Daybook's agent. */
export const LABEL = 'local.daybook.daemon'

/** A property list's value. */
type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value }

/** The property list of a launchd agent that runs a daemon. launchd knows no sandbox that an agent could ask for. */
export function launchdPlist({ command, dataDir, environment }: ServiceProgram): string {
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
export function dataDirOfPlist(text: string): string | null {
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

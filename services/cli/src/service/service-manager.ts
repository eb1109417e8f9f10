import { spawn } from 'node:child_process'
import { safeText } from '@daybook/memory/safe-text'
import { CliError, EXIT } from '../command-line.ts'
import type { Environment } from '../settings.ts'

/** What a service runs. */
export interface ServiceProgram {
  /** The program and its arguments, with absolute paths. */
  readonly command: readonly [string, ...string[]]
  /** Absolute. It is the working folder too. */
  readonly dataDir: string
  /** The settings of the daemon, without secrets. */
  readonly environment: Readonly<Record<string, string>>
}

/** Whose service it is, and where that user's files are. */
export interface ServicePlace {
  readonly platform: NodeJS.Platform
  /** The user's home folder. */
  readonly home: string
  readonly uid: number
  readonly environment: Environment
}

/** What the service manager says of the service. */
interface ServiceState {
  /** Whether it starts by itself when the user logs in. */
  readonly enabled: boolean
  readonly running: boolean
  /** Whether it has ended against its will since it was started. */
  readonly failing: boolean
  /** Null if it does not run. */
  readonly pid: number | null
}

/** What runs services of one user on a system. */
export interface ServiceManager {
  /** The name of what it is told, for people: `systemd user unit`. */
  readonly title: string
  /** What it runs: the daemon itself, or the command line, which keeps one running. */
  readonly program: 'daemon' | 'cli'
  /** The file of Daybook's service. */
  readonly file: (place: ServicePlace) => string
  /** What stands in that file. It begins with a line or holds one with `MARK`. */
  readonly text: (program: ServiceProgram, place: ServicePlace) => string
  /** The data folder that such a text names; null if it names none. */
  readonly dataDirOf: (text: string) => string | null
  /** The commands that `start` and `stop` run, for people. */
  readonly commands: (place: ServicePlace) => {
    readonly start: readonly string[]
    readonly stop: readonly string[]
  }
  /** Where the service's output goes, for people: a file or a command. */
  readonly log: (dataDir: string) => string
  /** What is worth knowing once it is installed. */
  readonly note: string
  /** @throws ServiceError SERVICE_MANAGER if nothing manages services of this user */
  check(place: ServicePlace): Promise<void>
  /** Never throws: what cannot be asked does not run. */
  state(place: ServicePlace): Promise<ServiceState>
  /**
   * Starts it now and at every login. It may be called again.
   * @param changed whether the file is another than the one that the manager knows
   * @throws ServiceError SERVICE_MANAGER
   */
  start(place: ServicePlace, changed: boolean): Promise<void>
  /** Ends it until the next login, where the end of the daemon is not enough for that. */
  end?(place: ServicePlace): Promise<void>
  /** Ends it now and for good, and waits for its end. @throws ServiceError SERVICE_MANAGER */
  stop(place: ServicePlace): Promise<void>
  /** Told after the file is gone. */
  forget(place: ServicePlace): Promise<void>
}

/** Stands in every file of ours, so that nothing else is ever removed. */
export const MARK = 'Made by "daybook service install"'

/** Why Daybook could not be made, or ended as, a service. */
type ServiceErrorCode =
  /** There is no service manager here that is known. */
  | 'NOT_SUPPORTED'
  /** This Daybook may vanish or change under a service: an npx cache, a repository. */
  | 'NOT_INSTALLED'
  /** The service manager is missing, or refuses. */
  | 'SERVICE_MANAGER'
  /** The file of the service is not one that Daybook made. */
  | 'SERVICE_NOT_OURS'
  /** It was installed, and does not run. */
  | 'SERVICE_DID_NOT_START'

/** An expected failure around the service. */
export class ServiceError extends CliError {
  constructor(code: ServiceErrorCode, message: string, hints: readonly string[] = []) {
    super(EXIT.failed, code, message, hints)
  }
}

/** How a command of the system ended. */
interface ToolResult {
  /** Null if there is no such command, or a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  /** What it complained about, else why it could not be run. */
  readonly stderr: string
}

/** Runs a command of the system with the environment of the place, and waits for its end. Never throws. */
export function tryTool(
  place: ServicePlace,
  command: string,
  ...args: readonly string[]
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: place.environment as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.once('error', ({ message }) => resolve({ exitCode: null, stdout: '', stderr: message }))
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
}

/** The same for a command that must succeed. @throws ServiceError SERVICE_MANAGER with what it said */
export async function runTool(
  place: ServicePlace,
  command: string,
  ...args: readonly string[]
): Promise<string> {
  const { exitCode, stdout, stderr } = await tryTool(place, command, ...args)
  if (exitCode === 0) return stdout
  const said = safeText(stderr || stdout).trim() || `it ended with ${exitCode ?? 'a signal'}`
  throw new ServiceError('SERVICE_MANAGER', `${[command, ...args].join(' ')} failed: ${said}`, [
    'Run that command yourself to see more; daybook service status says how things are',
    'Without a service:  daybook start --detach',
  ])
}

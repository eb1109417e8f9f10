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
export interface ServiceState {
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
  /** The file of Daybook's service. */
  readonly file: (place: ServicePlace) => string
  /** What stands in that file. It begins with a line or holds one with `MARK`. */
  readonly text: (program: ServiceProgram) => string
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
  /** Ends it now and for good, and waits for its end. @throws ServiceError SERVICE_MANAGER */
  stop(place: ServicePlace): Promise<void>
  /** Told after the file is gone. */
  forget(place: ServicePlace): Promise<void>
}

/** Stands in every file of ours, so that nothing else is ever removed. */
export const MARK = 'Made by "daybook service install"'

import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import type { Shutdown } from './shutdown.ts'

/** Tells the person who started the process what it is doing, in one sentence. */
export type Progress = (message: string) => void

/** What every part of a process gets when it opens. */
export interface ProcessParts {
  readonly logger: Logger
  readonly progress: Progress
  /** Each opened part registers here how it is closed. */
  readonly shutdown: Shutdown
  /** For a process that is alone on its database. Default: other processes may do something at any time. */
  readonly activity?: Activity
}

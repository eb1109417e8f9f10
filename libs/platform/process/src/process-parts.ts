import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import type { Shutdown } from './shutdown.ts'

/** Tells the person who started the process, in a sentence, what it is doing. */
export type Progress = (message: string) => void

/** What every part of a process is opened with. */
export interface ProcessParts {
  readonly logger: Logger
  readonly progress: Progress
  /** Where a part that was opened says how it is closed. */
  readonly shutdown: Shutdown
  /** Of a process that is alone on its database. Default: others may do something at any time. */
  readonly activity?: Activity
}

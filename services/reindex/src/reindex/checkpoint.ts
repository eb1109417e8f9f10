import type { JournalCursor } from '@daybook/memory/events'
import type { LoadCursor } from '@daybook/projection/rebuild/load-project'

/** What a rebuild resumes from if its process is killed. */
export interface Checkpoint {
  readonly generation: number
  /** When the rebuild began, by the database's clock. */
  readonly begun: string
  /** The projects being loaded. */
  readonly loading: readonly LoadingProject[]
}

/** Up to which head a project is loaded, and how far that has come. */
export interface LoadingProject {
  readonly projectId: string
  readonly head: JournalCursor
  readonly place: LoadCursor
}

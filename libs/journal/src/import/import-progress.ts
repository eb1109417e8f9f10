/** How far an import has got. */
export interface ImportProgress extends ImportCounts {
  /** The project's name. */
  readonly project: string
  /** The sequence of the last event that is here now, out of `events`. */
  readonly sequence: number
  readonly events: number
}

/** How many events an import wrote, and how many it found. */
export interface ImportCounts {
  /** Events that this import wrote. */
  readonly imported: number
  /** Events that were here already, unchanged. */
  readonly alreadyThere: number
}

/** What an import did. */
export interface ImportResult extends ImportCounts {
  readonly projects: readonly ImportedProject[]
}

/** A project as it was imported. */
export interface ImportedProject {
  readonly id: string
  readonly name: string
  /** The last sequence of the export. */
  readonly events: number
  /** Whether it replaced an empty project of the same name and took over its API keys. */
  readonly tookOver: boolean
}

/** How far an import has come. */
export interface ImportProgress extends ImportCounts {
  /** The project's name. */
  readonly project: string
  /** The last event that is now here, of so many. */
  readonly sequence: number
  readonly events: number
}

export interface ImportCounts {
  /** Events that were written by this import. */
  readonly imported: number
  /** Events that were here already, the same. */
  readonly alreadyThere: number
}

export interface ImportResult extends ImportCounts {
  readonly projects: readonly ImportedProject[]
}

export interface ImportedProject {
  readonly id: string
  readonly name: string
  /** The last sequence of the export. */
  readonly events: number
  /** Whether it took the place of an empty project of its name, with its keys. */
  readonly tookOver: boolean
}

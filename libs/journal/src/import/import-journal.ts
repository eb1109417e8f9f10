import { type PlacedProject, placeProject } from '@daybook/postgres/access/claim-imported-project'
import type { Database } from '@daybook/postgres/connect'
import type { ImportedEvent } from './check-project.ts'
import { readExport } from './read-export.ts'
import { writeImported } from './write-imported.ts'

/** The options of `importJournal`. */
export interface ImportOptions {
  /** Called with each batch once it is committed, and awaited. */
  readonly onProgress?: (progress: ImportProgress) => void | Promise<void>
  /** Ends the import between two batches. */
  readonly signal?: AbortSignal
  /** Most events in one transaction. @default 300 */
  readonly batchEvents?: number
}

/** Most characters in a batch: with large events it ends early. */
const BATCH_CHARACTERS = 4 * 1024 * 1024

/**
 * Imports an exported journal batch by batch while reading it. Ids, names, sequences, versions, times and
 * hashes stay the same. Each batch is one transaction. An import that breaks off leaves a sound beginning of
 * the journal. Running it again continues from there, and changes nothing once it is complete. Projections
 * notice by themselves that they are behind.
 *
 * @param chunks the bytes of the export, read no faster than they are written
 * @throws InvalidExportError; ImportConflictError, or DaybookError IMPORT_CONFLICT if a different project or
 * journal is here already; the signal's reason; errors of the database
 */
export async function importJournal(
  db: Database,
  chunks: AsyncIterable<Uint8Array>,
  { onProgress, signal, batchEvents = 300 }: ImportOptions = {},
): Promise<ImportResult> {
  const projects: ImportedProject[] = []
  const counts = { imported: 0, alreadyThere: 0 }
  let current: (PlacedProject & { readonly events: number }) | null = null
  let batch: ImportedEvent[] = []
  let size = 0

  const write = async (): Promise<void> => {
    const last = batch.at(-1)
    if (current === null || last === undefined) return
    signal?.throwIfAborted()
    const { imported, alreadyThere } = await writeImported(current.scope, batch)
    batch = []
    size = 0
    counts.imported += imported
    counts.alreadyThere += alreadyThere
    await onProgress?.({ project: current.name, sequence: last.sequence, events: current.events, ...counts })
  }

  for await (const item of readExport(chunks)) {
    if ('event' in item) {
      batch.push(item.event)
      size += item.event.size
      if (batch.length >= batchEvents || size >= BATCH_CHARACTERS) await write()
      continue
    }
    await write()
    // Whatever stands after it is refused.
    if ('end' in item) continue
    const { id, name, events } = item.project
    const placed = await placeProject(db, { id, name })
    current = { ...placed, events }
    projects.push({ id, name: placed.name, events, tookOver: placed.tookOver })
  }
  return { ...counts, projects }
}

/** How far an import has got. */
export interface ImportProgress extends ImportCounts {
  /** The project's name. */
  readonly project: string
  /** The sequence of the last event that is here now, out of `events`. */
  readonly sequence: number
  readonly events: number
}

/** How many events an import wrote, and how many it found. */
interface ImportCounts {
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
interface ImportedProject {
  readonly id: string
  readonly name: string
  /** The last sequence of the export. */
  readonly events: number
  /** Whether it replaced an empty project of the same name and took over its API keys. */
  readonly tookOver: boolean
}

import type { Work } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations/generations'
import { appliedProjects } from '@daybook/projection/positions/positions'
import { LOAD_BEGINNING, loadProject } from '@daybook/projection/rebuild/load-project'
import type {
  LoadTargetOptions,
  RebuildableProjection,
} from '@daybook/projection/rebuild/rebuildable-projection'
import { readProjects } from '../projects.ts'
import type { Checkpoint } from './checkpoint.ts'

/** How a rebuild loads its generation. */
export interface LoadProjectsOptions extends LoadTargetOptions {
  /** Where the rebuild stands: its generation, and the project and page to resume from. */
  readonly checkpoint: Checkpoint
  /** Keeps the next checkpoint. */
  readonly save: (checkpoint: Checkpoint) => Promise<void>
}

/** Loads every project that the generation does not have yet, up to the head that it had when its turn came. */
export async function loadProjects(
  db: Database,
  rebuildable: RebuildableProjection,
  generation: Generation,
  { checkpoint, save, ...options }: LoadProjectsOptions,
  work: Work,
): Promise<void> {
  const projects = await readProjects(db, null)
  const total = projects.reduce((sum, { head }) => sum + head, 0)
  await work.report({ phase: 'loading', done: 0, total })
  await rebuildable.prepare(generation, total, options.fence)
  const target = rebuildable.loadTarget(generation, options)
  const loaded = new Set(
    await appliedProjects(db, { name: rebuildable.name, generation: generation.generation }),
  )
  let done = 0
  for (const { id, head, hash, scope } of projects) {
    const resumed = checkpoint.loading?.projectId === id ? checkpoint.loading : null
    const upTo = resumed?.head ?? { sequence: head, hash }
    if (!loaded.has(id)) {
      // Before the first page, because a process that resumes must load up to the same head. With a later
      // head, memories that were loaded already and revised since would keep the vectors of their earlier
      // texts.
      if (resumed === null)
        await save({ ...checkpoint, loading: { projectId: id, head: upTo, place: LOAD_BEGINNING } })
      await loadProject(scope, {
        target,
        head: upTo,
        from: resumed?.place ?? LOAD_BEGINNING,
        parallel: rebuildable.parallel,
        signal: work.signal,
        onPage: async (place) => {
          await work.report({ done: done + place.after })
          await save({ ...checkpoint, loading: { projectId: id, head: upTo, place } })
        },
      })
    }
    done += head
    await work.report({ done })
  }
}

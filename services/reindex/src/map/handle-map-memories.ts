import { DaybookError } from '@daybook/memory/errors'
import { MOST_ON_MAP } from '@daybook/memory-map/most-on-map'
import { countForMap, readMemoryVectors, saveMap } from '@daybook/memory-map/store/read-map'
import { layOutInThread } from '@daybook/memory-map/worker/lay-out-in-thread'
import { LaterError, type OperationHandler } from '@daybook/operations/run-operations'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { ProjectDeletedError } from '@daybook/postgres/access/delete-project'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { readPosition } from '@daybook/projection/positions/positions'

/**
 * Makes the map of a project's memories from the vectors of the live generation. It has no checkpoint: after a crash it
 * begins again, and comes to the same.
 */
export function handleMapMemories(db: Database): OperationHandler<'map-memories'> {
  return {
    async run(work) {
      const { signal } = work
      const { projectId } = work.operation.options
      const scope = projectScope(db, projectId)
      const model = await liveReadModel(scope.db)
      const { projection, generation, dimension } = model.generation
      // Before the memories are read: a later one is on the map or counts as newer, perhaps both, and never neither.
      const sequence = await readPosition(scope.db, { name: projection, generation }, projectId)
      const { memories } = await countForMap(scope, model, 0)
      await work.report({ phase: 'reading vectors', done: 0, total: Math.min(memories, MOST_ON_MAP) })
      const { ids, vectors } = await readMemoryVectors(scope, model.tables, dimension, {
        most: MOST_ON_MAP,
        onRead: (read) => work.report({ done: read }),
      })
      if (ids.length === 0)
        throw new DaybookError(
          'REFUSED',
          'No memory of the project has a vector, so there is nothing to place',
        )
      await work.report({ phase: 'placing', done: 0, total: ids.length })
      const places = await layOutInThread(vectors, {
        signal,
        // Ends by the signal, not by what this throws.
        onProgress: (done) => void work.report({ done: Math.round(done * ids.length) }).catch(() => {}),
      })
      signal.throwIfAborted()
      if (!(await saveMap(scope, { projection, generation }, { sequence, ids, places }))) {
        if ((await findProject(db, projectId)) === null) throw new ProjectDeletedError(projectId)
        throw new LaterError('the search index was replaced meanwhile', 1_000)
      }
      return { memories: ids.length, left: Math.max(0, memories - ids.length), generation }
    },
  }
}

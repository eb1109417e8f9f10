import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { storableError } from '@daybook/postgres/storable-error'
import type { Logger } from '@daybook/runtime/logger'
import { reasonOf } from '@daybook/runtime/reason-of'
import { handOverAnswered } from '../home/hand-over.ts'
import type { HomeOf } from './home-client.ts'

/** Milliseconds between tries. */
const TELL_MS = 10_000

/** Creates what tells lost homes that come back that their projects have another home by now, every 10 s at most. */
export function createFormerHomes(db: Database, homeOf: HomeOf, logger: Logger): { tell(): Promise<void> } {
  let toldAt = -TELL_MS
  return {
    async tell() {
      if (performance.now() - toldAt < TELL_MS) return
      toldAt = performance.now()
      await tellAll(db, homeOf, logger)
    },
  }
}

/** So that they accept nothing more, and follow it. */
async function tellAll(db: Database, homeOf: HomeOf, logger: Logger): Promise<void> {
  const homes = await db.selectFrom('former_homes').selectAll().execute()
  for (const { project_id: projectId, url, key, own_url, own_key, epoch } of homes) {
    const { db: bound } = projectScope(db, projectId)
    const home = homeOf({ projectId, followerId: newId(), home: { url, key } })
    try {
      await home.ask('hand-over', { epoch, url: own_url, key: own_key, at: null }, handOverAnswered)
      await bound.deleteFrom('former_homes').where('project_id', '=', projectId).execute()
      logger.warn(
        { projectId, url, epoch },
        'the former home of a project is back, and follows this Daybook now',
      )
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error
      await bound
        .updateTable('former_homes')
        .set({ problem: storableError(reasonOf(error)) })
        .where('project_id', '=', projectId)
        .execute()
    }
  }
}

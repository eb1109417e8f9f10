import { listQuarantines } from '@daybook/postgres/access/quarantines'
import { readMinimum } from '@daybook/postgres/compatibility'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { HomeState } from '../wire/stream-line.ts'

/** Reads what holds for a project beside its events. @throws Error if there is no such project */
export async function readHomeState({ db, projectId }: ProjectScope): Promise<HomeState> {
  const project = await db
    .selectFrom('projects')
    .innerJoin('journal_heads', 'journal_heads.project_id', 'projects.id')
    .leftJoin('followed_projects', 'followed_projects.project_id', 'projects.id')
    .select([
      'projects.id',
      'projects.name',
      'projects.language',
      'journal_heads.epoch',
      'followed_projects.home_url',
    ])
    .where('projects.id', '=', projectId)
    .executeTakeFirstOrThrow()
  const quarantines = await listQuarantines(db, [projectId])
  return {
    project: { id: project.id, name: project.name },
    epoch: project.epoch,
    minimumReader: (await readMinimum(db))?.reader ?? 1,
    language: project.language,
    quarantines: quarantines.map(({ id, keyIds, agent, reason, beganAt, beganBy }) => ({
      id,
      keyIds,
      agent,
      reason,
      beganAt,
      beganBy,
    })),
    movedTo: project.home_url,
  }
}

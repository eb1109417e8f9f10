import type { Database } from '@daybook/postgres/connect'

/** A home that was lost when its project was promoted here, and has not been told yet. */
export interface FormerHome {
  readonly projectId: string
  readonly url: string
  /** What the last try came to, as a sentence; null before the first. */
  readonly problem: string | null
}

/** All of them. @param db bound to no project */
export async function listFormerHomes(db: Database): Promise<FormerHome[]> {
  const rows = await db.selectFrom('former_homes').select(['project_id', 'url', 'problem']).execute()
  return rows.map(({ project_id: projectId, url, problem }) => ({ projectId, url, problem }))
}

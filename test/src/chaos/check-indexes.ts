import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { checkReadModel } from '@daybook/pgvector/testing/check-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { checkTypesenseIndex } from './check-typesense-index.ts'
import type { Cluster } from './cluster.ts'

/** Compares both projections of a project with the journal. @returns every difference in words */
export async function checkIndexes({ typesense }: Cluster, scope: ProjectScope): Promise<string[]> {
  const postgres = await checkReadModel(scope, await liveReadModel(scope.db))
  return [
    ...postgres.map((difference) => `Postgres: ${difference}`),
    ...(await checkTypesenseIndex(typesense, scope)),
  ]
}

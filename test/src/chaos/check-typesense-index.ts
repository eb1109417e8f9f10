import type { ProjectScope } from '@daybook/postgres/project-scope'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { createTypesenseClient } from '@daybook/typesense/client/client'
import { checkTypesense } from '@daybook/typesense/testing/check-typesense'
import { TYPESENSE } from '@daybook/typesense/write/generation'

/** Compares the Typesense projection of a project with the journal. @returns every difference in words */
export async function checkTypesenseIndex(
  settings: { readonly url: string; readonly apiKey: string },
  scope: ProjectScope,
): Promise<string[]> {
  const generation = await liveGeneration(scope.db, TYPESENSE)
  if (generation === null) return ['there is no generation of the Typesense projection']
  const client = createTypesenseClient(settings)
  try {
    const differences = await checkTypesense(scope, { client, generation })
    return differences.map((difference) => `Typesense: ${difference}`)
  } finally {
    client.close()
  }
}

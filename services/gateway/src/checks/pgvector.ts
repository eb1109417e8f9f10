import { readServerFacts } from '@daybook/postgres/inspect/server-facts'
import { type CheckedParts, type Finding, ok, warning } from './check.ts'

/** The first version in which a vacuum does not damage HNSW indexes. */
const SOUND = [0, 8, 4] as const

/** Checks that the version of pgvector is free of known damage. */
export async function checkPgvector({ db }: CheckedParts): Promise<Finding> {
  return judgePgvector((await readServerFacts(db)).vectorVersion)
}

/** Judges a version of pgvector, such as `0.8.4`. */
export function judgePgvector(version: string): Finding {
  const parts = version.split('.').map(Number)
  const difference = SOUND.map((least, index) => (parts[index] ?? 0) - least).find((one) => one !== 0) ?? 0
  return difference >= 0
    ? ok(`pgvector ${version}`)
    : warning(
        `pgvector ${version}: before ${SOUND.join('.')} a vacuum can damage the vectors’ index`,
        'Update the package on the database server, then run: alter extension vector update',
      )
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askGraphQL, dataOf } from '../support/graphql.ts'

/*
 * What each release leaves behind, so that later versions can be tested with it. `npm run keep-release` writes the
 * folder of the present version:
 *
 *   schema.graphql.gz     its API
 *   surface.json          its commands, tools, settings and the client's methods (`public-surface.ts`)
 *   shapes.json           the fields of what commands print with `--json` of its memories
 *   journal.jsonl.gz      an export
 *   database.dump         the same journal as a backup: `pg_dump --format=custom`, without the read models
 *   memories.json         the memories that both hold, as that version told them
 */
export const RELEASED = join(import.meta.dirname, 'released')

/** A version's numbers. */
const numbersOf = (version: string) => version.split('.').map(Number)

/** The versions that were kept, the oldest first. */
export const releasedVersions = (): string[] =>
  readdirSync(RELEASED).toSorted((a, b) => {
    const [left, right] = [numbersOf(a), numbersOf(b)]
    const differs = left.findIndex((number, index) => number !== right[index])
    return (left[differs] ?? 0) - (right[differs] ?? 0)
  })

/** A file of a version. */
export const releasedFile = (version: string, file: string): Buffer =>
  readFileSync(join(RELEASED, version, file))

/** A memory as a version told it. */
export interface ToldMemory {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly text: string
  readonly version: number
  readonly forgottenAt: string | null
}

const MEMORIES = `query ($after: String) {
  memories(first: 100, after: $after, filter: { includeForgotten: true }) {
    pageInfo { hasNextPage endCursor }
    edges { node { id kind title text version forgottenAt } }
  }
}`

interface Page {
  readonly memories: {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string }
    readonly edges: readonly { readonly node: ToldMemory }[]
  }
}

/** All memories of a project, forgotten ones too, by their ids. */
export async function toldMemories(at: { url: string; apiKey: string }): Promise<ToldMemory[]> {
  const told: ToldMemory[] = []
  for (let after: string | null = null; ; ) {
    const page: Page = dataOf(await askGraphQL<Page>(at, { query: MEMORIES, variables: { after } }))
    told.push(...page.memories.edges.map(({ node }) => node))
    const { hasNextPage, endCursor } = page.memories.pageInfo
    if (!hasNextPage) return told.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    after = endCursor
  }
}

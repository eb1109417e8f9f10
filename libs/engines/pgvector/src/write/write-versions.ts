import { type QueuedText } from '@daybook/embeddings/store'
import { languageOf } from '@daybook/lexical-index/lexemes'
import { contentHash } from '@daybook/memory/content'
import type { JournalEvent } from '@daybook/memory/events'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, type MemoryState } from '@daybook/memory/state'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { GenerationTables } from '../generation-tables.ts'

/*
 * The table `memory_versions` has a row for every version before the present one, which is in `memories`: most
 * memories are never revised and have none. It holds no text: the state is in the event, by its sequence, and the
 * vectors and token bits are in the embedding store, by the hash of the text.
 *
 * `lexemes` is set in the last version of each text that a memory had before its present one, and null in all
 * others. So a version's lexemes are the first ones from it on, or else those in `memories`:
 *
 *   version   1        2           3              4, in `memories`
 *   text      tea      tea         coffee         water
 *   lexemes   null     'tea'       'coffe'        'water'
 */

/** A version of a memory, with what its row needs if another one follows. */
export interface WrittenVersion {
  readonly memoryId: string
  readonly version: number
  readonly sequence: number
  readonly state: MemoryState
}

/** The version that an event makes. */
export const versionOf = ({ memoryId, version, sequence, data }: JournalEvent): WrittenVersion => ({
  memoryId,
  version,
  sequence,
  state: data.state,
})

/**
 * Those that another version of the same memory follows.
 * @param versions of each memory in order; there may be several memories
 */
export function pastVersions(versions: readonly WrittenVersion[]): WrittenVersion[] {
  const newest = new Map(versions.map(({ memoryId, version }) => [memoryId, version]))
  return versions.filter(({ memoryId, version }) => newest.get(memoryId) !== version)
}

/**
 * Those of consecutive versions whose text the next one of the same memory changes: a word that is found by,
 * or what is embedded.
 * @param versions of each memory in order; there may be several memories
 */
export function supersededTexts(versions: readonly WrittenVersion[]): WrittenVersion[] {
  const superseded: WrittenVersion[] = []
  const last = new Map<string, WrittenVersion>()
  for (const version of versions) {
    const before = last.get(version.memoryId)
    if (before !== undefined && saysOtherwise(before.state, version.state)) superseded.push(before)
    last.set(version.memoryId, version)
  }
  return superseded
}

const saysOtherwise = (before: MemoryState, after: MemoryState): boolean =>
  lexicalText(before) !== lexicalText(after) || embeddedTextOf(before) !== embeddedTextOf(after)

/** The distinct texts of versions, for the embedding store. */
export const textsOfVersions = (versions: readonly Pick<WrittenVersion, 'state'>[]): QueuedText[] =>
  [...new Set(versions.map(({ state }) => embeddedTextOf(state)))].map((text) => ({
    hash: contentHash(text),
    text,
  }))

/**
 * Writes the rows of versions. A row that is there stays, but gets its lexemes if the text was superseded.
 * @param superseded those of them whose text the next version changes
 */
export async function writeVersions(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  versions: readonly WrittenVersion[],
  superseded: readonly WrittenVersion[],
): Promise<void> {
  if (versions.length === 0) return
  await sql`
    insert into ${tables.versions} as v (project_id, memory_id, version, sequence, content_hash, lexemes)
    select ${projectId}, memory_id, version, sequence, decode(content_hash, 'hex'), to_tsvector(${languageOf(tables, projectId)}, lexical_text)
    from ${versionsRelation(versionRows(versions, superseded))}
    on conflict (project_id, memory_id, version) do update set lexemes = excluded.lexemes
    where excluded.lexemes is not null`.execute(trx)
}

/** A row of `memory_versions`, with JSON's types. The hash is hexadecimal. */
export type VersionRow = ReturnType<typeof versionRows>[number]

/** The rows of versions. @param superseded those that get lexemes */
export function versionRows(versions: readonly WrittenVersion[], superseded: readonly WrittenVersion[]) {
  const ended = new Set(superseded)
  return versions.map((one) => ({
    memory_id: one.memoryId,
    version: one.version,
    sequence: one.sequence,
    content_hash: contentHash(embeddedTextOf(one.state)).toString('hex'),
    lexical_text: ended.has(one) ? lexicalText(one.state) : null,
  }))
}

/** The rows as the relation `given`. */
export const versionsRelation = (rows: readonly VersionRow[]) => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(memory_id uuid, version int, sequence bigint,
    content_hash text, lexical_text text)`

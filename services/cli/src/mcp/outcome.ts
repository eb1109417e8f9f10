import { createTwoFilesPatch } from 'diff'
import { maskSecrets } from '../hooks/mask-secrets.ts'
import type { McpClient, Scope } from './clients/client.ts'
import { FORMATS } from './config/formats.ts'

/** What became of one client's configuration, or would without `--dry-run`. */
export interface Outcome {
  readonly client: string
  readonly title: string
  readonly scope: Scope
  /** The configuration, behind symbolic links. */
  readonly file: string
  /** `unchanged`: it was so already. `absent`: there was no entry to remove. */
  readonly outcome: 'added' | 'updated' | 'unchanged' | 'removed' | 'absent'
  /** The copy of what was there; null if nothing was or nothing changed. */
  readonly backup: string | null
  /** The entry alone, in the client's language, as it can be written by hand; null where it was removed. */
  readonly snippet: string | null
  /** What changes, as a unified diff whose lines show no secrets; null if nothing does. */
  readonly diff: string | null
  /** What makes the client read it again; null if nothing changed. */
  readonly reload: string | null
}

/** The entry alone, as a configuration that says nothing else. */
export const snippetOf = (
  client: McpClient,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): string => FORMATS[client.format].set('', { section: client.section, name }, entry)

/** The lines around a change that a diff shows: a configuration may hold the keys of other servers. */
const AROUND = 2

/** A unified diff of a configuration. @param after null if the file goes */
export function diffOf(file: string, before: string | null, after: string | null): string | null {
  if (before === after) return null
  const names = [before === null ? '/dev/null' : file, after === null ? '/dev/null' : file] as const
  return maskSecrets(
    createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, {
      context: AROUND,
    }).replace(/^=+\n/u, ''),
  )
}

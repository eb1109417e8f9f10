import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { basename, parse, resolve } from 'node:path'

/** How a local client finds the context of what it remembers. */
export interface ContextOptions {
  /** What the user names for this call; it goes before everything. */
  readonly explicit?: string | undefined
  /** The folder that the client works in. */
  readonly folder: string
  /** Environment variables: `DAYBOOK_CONTEXT` is a fixed context, `DAYBOOK_CONTEXT_DETECTION=off` switches the rest off. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * The context of a local client, such as the command line or MCP over stdio. The first of these: the explicit one; the setting
 * `DAYBOOK_CONTEXT`; the name of the repository in git's remote; the name of the repository's folder; the name of the folder.
 * @returns null if detection is off, or the folder is the user's home or a file system's root, whose names say nothing
 */
export async function detectContext({
  explicit,
  folder,
  environment,
}: ContextOptions): Promise<string | null> {
  if (explicit !== undefined && explicit !== '') return explicit
  const set = environment['DAYBOOK_CONTEXT']?.trim()
  if (set) return set
  if (environment['DAYBOOK_CONTEXT_DETECTION']?.trim().toLowerCase() === 'off') return null
  const remote = await git(folder, ['remote', 'get-url', 'origin'])
  const repository = remote === null ? null : repositoryName(remote)
  if (repository !== null) return repository
  const root = resolve((await git(folder, ['rev-parse', '--show-toplevel'])) ?? folder)
  return root === homedir() || root === parse(root).root ? null : basename(root)
}

/**
 * The name of the repository that a git remote names: `daybook` for `git@github.com:acme/daybook.git`,
 * `https://github.com/acme/daybook`, `ssh://git@host:22/acme/daybook.git/` and `/srv/git/daybook.git`.
 * @returns null if it names none
 */
export function repositoryName(remote: string): string | null {
  const path = remote
    .trim()
    .replace(/[?#].*$/u, '')
    .replace(/[/\\]+$/u, '')
  const name = /[^/\\:]+$/u.exec(path)?.[0].replace(/\.git$/u, '') ?? ''
  const hasPath = /[/\\:]/u.test(path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*$/iu, ''))
  return name === '' || !hasPath ? null : name
}

/** What git prints; null if git is missing, or says no. */
function git(folder: string, args: readonly string[]): Promise<string | null> {
  return new Promise((done) => {
    execFile('git', ['-C', folder, ...args], { timeout: 2_000, encoding: 'utf8' }, (error, stdout) =>
      done(error === null && stdout.trim() !== '' ? stdout.trim() : null),
    )
  })
}

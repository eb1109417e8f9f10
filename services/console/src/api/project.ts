import type { Session } from './session.ts'

/**
 * The name of the project that the address is about, `?project=<name>`: else the project `default`, else the first one.
 * Null if the key opens no project.
 */
export function projectIn(params: URLSearchParams, { projects }: Session): string | null {
  const named = params.get('project')
  const found =
    projects.find(({ name }) => name === named) ??
    projects.find(({ name }) => name === 'default') ??
    projects[0]
  return found?.name ?? null
}

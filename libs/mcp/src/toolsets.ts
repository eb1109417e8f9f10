import { ApiError } from './session.ts'

/*
 * Which groups of tools there are, and how a choice of them is written. This file pulls in neither the tools nor MCP's SDK,
 * because the command line reads it.
 */

/** Which tools a client is shown. `core` is what nearly every agent needs. */
export const TOOLSETS = ['core', 'people', 'documents', 'files', 'ops'] as const
/** One of the sets. */
export type Toolset = (typeof TOOLSETS)[number]

/**
 * Reads a choice of toolsets: names with commas between them, or `all`.
 * @throws ApiError VALIDATION, which lists the sets
 */
export function readToolsets(given: string): readonly Toolset[] {
  const names = given
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  if (names.includes('all')) return TOOLSETS
  const unknown = names.find((name) => !(TOOLSETS as readonly string[]).includes(name))
  if (unknown !== undefined || names.length === 0)
    throw new ApiError(
      'VALIDATION',
      `There is no toolset "${unknown ?? given}": choose among ${TOOLSETS.join(', ')}, or all`,
      { field: 'toolsets' },
    )
  return TOOLSETS.filter((set) => names.includes(set))
}

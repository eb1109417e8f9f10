import { ApiError } from './daybook.ts'
import { TOOLS } from './tools/index.ts'
import { TOOLSETS, type Tool, type Toolset } from './tools/tool.ts'

/** What a client is shown that does not choose. */
export const USUAL_TOOLSETS: readonly Toolset[] = ['core']

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

/** The tools of the sets. */
export const toolsOf = (toolsets: readonly Toolset[]): readonly Tool[] =>
  TOOLS.filter(({ toolset }) => toolsets.includes(toolset))

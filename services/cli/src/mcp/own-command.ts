import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A program with its first arguments. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
}

/** What decides how a client starts Daybook. */
export interface Running {
  /** The file that this process was started with (`process.argv[1]`). */
  readonly binary: string
  /** This node (`process.execPath`). */
  readonly node: string
  readonly platform: NodeJS.Platform
}

/**
 * How a client starts `daybook mcp`. From the repository it is this node with this file: no package to download, and no `PATH`, which
 * programs with a window do not share with the shell. From the package it is `npx -y daybook mcp`, which stays right when node or the
 * package is updated. Windows starts npx, a script, only through `cmd`.
 */
export function ownCommand({ binary, node, platform }: Running): Command {
  const file = realpathSync(binary)
  // What `bin/daybook.mjs` looks for itself.
  const isRepository =
    existsSync(join(dirname(file), '../src/main.ts')) &&
    existsSync(join(dirname(file), '../../../scripts/fresh-bundle.mjs'))
  if (isRepository) return { command: node, args: [file, 'mcp'] }
  const npx = ['npx', '-y', 'daybook', 'mcp']
  return platform === 'win32'
    ? { command: 'cmd', args: ['/c', ...npx] }
    : { command: 'npx', args: npx.slice(1) }
}

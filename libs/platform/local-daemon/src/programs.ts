import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { LocalDaemonError } from './local-daemon-error.ts'

/** How to run one of our programs with node. */
export interface Program {
  /** The file that node runs, absolute. */
  readonly file: string
  /** Arguments that come before the program's own. */
  readonly args: readonly string[]
}

/**
 * The repository that this code runs from, from source or from a bundle that was made of it; null in the
 * package `daybook` and in images.
 */
export function repositoryFolder(from: string = OWN_FOLDER): string | null {
  return above(from, (folder) =>
    existsSync(join(folder, 'scripts', 'start.mjs')) && existsSync(join(folder, 'services', 'daemon', 'src'))
      ? folder
      : null,
  )
}

/**
 * Finds a program: in the repository its bundle, made anew where a source has changed; in the package
 * `daybook` the file `dist/<name>/main.js`; in an image `services/<name>/dist/main.js`.
 * @param name a folder of `services/` with a bundle: `daemon`, `mcp`
 * @throws LocalDaemonError PROGRAM_MISSING
 */
export function findProgram(name: string, from: string = OWN_FOLDER): Program {
  const found = above(from, (folder): Program | null => {
    const starter = join(folder, 'scripts', 'start.mjs')
    if (existsSync(starter) && existsSync(join(folder, 'services', name, 'src', 'main.ts')))
      return { file: starter, args: [name] }
    for (const file of [
      join(folder, 'dist', name, 'main.js'),
      join(folder, 'services', name, 'dist', 'main.js'),
    ])
      if (existsSync(file)) return { file, args: [] }
    return null
  })
  if (found !== null) return found
  throw new LocalDaemonError('PROGRAM_MISSING', `The program "${name}" of Daybook is not above ${from}.`, [
    'Install Daybook again: a part of it is missing',
  ])
}

/**
 * Runs a program in this process: it gets the terminal, the signals and the environment, and decides when the
 * process ends. Resolves when the program has started, which for a server is while it serves.
 * @param args its arguments
 * @throws LocalDaemonError PROGRAM_MISSING
 */
export async function runProgram(name: string, args: readonly string[] = []): Promise<void> {
  const program = findProgram(name)
  process.argv = [process.execPath, program.file, ...program.args, ...args]
  await import(pathToFileURL(program.file).href)
}

const OWN_FOLDER = dirname(fileURLToPath(import.meta.url))

/** The first answer that is not null, asking the folder and each above it. */
function above<Answer>(folder: string, ask: (folder: string) => Answer | null): Answer | null {
  const answer = ask(folder)
  if (answer !== null || dirname(folder) === folder) return answer
  return above(dirname(folder), ask)
}

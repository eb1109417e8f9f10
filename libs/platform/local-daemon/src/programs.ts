import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { LocalDaemonError } from './daemon-state.ts'

/** How to run one of our programs with node. */
export interface Program {
  /** The file that node runs, absolute. */
  readonly file: string
  /** Arguments that come before the program's own. */
  readonly args: readonly string[]
}

/** Where this code runs from, and below which folder our programs are. */
interface Installation {
  /** `repository`: sources and what makes bundles of them; `package`: npm's; `image`: bundles in `services/`. */
  readonly kind: 'repository' | 'package' | 'image'
  readonly folder: string
}

/**
 * The repository that this code runs from, from source or from a bundle that was made of it; null in the
 * package `daybook` and in images.
 */
export function repositoryFolder(from: string = OWN_FOLDER): string | null {
  const found = installationAbove(from)
  return found?.kind === 'repository' ? found.folder : null
}

/**
 * Finds a program: in the repository its bundle, made again where a source has changed; in the package
 * `daybook` the file `dist/<name>/main.js`; in an image `services/<name>/dist/main.js`.
 * @param name a folder of `services/` with a bundle: `daemon`, `mcp`
 * @throws LocalDaemonError PROGRAM_MISSING
 */
export function findProgram(name: string, from: string = OWN_FOLDER): Program {
  const found = installationAbove(from)
  if (found !== null && existsSync(entryPoint(found, name)))
    return found.kind === 'repository'
      ? { file: join(found.folder, STARTER), args: [name] }
      : { file: entryPoint(found, name), args: [] }
  throw new LocalDaemonError(
    'PROGRAM_MISSING',
    `Daybook has no program "${name}" in ${found?.folder ?? from}.`,
    ['Install Daybook again: a part of it is missing'],
  )
}

const STARTER = join('scripts', 'start.mjs')

function entryPoint({ kind, folder }: Installation, name: string): string {
  if (kind === 'repository') return join(folder, 'services', name, 'src', 'main.ts')
  return kind === 'package'
    ? join(folder, 'dist', name, 'main.js')
    : join(folder, 'services', name, 'dist', 'main.js')
}

/** The nearest installation: a package that is installed inside another repository is a package. */
function installationAbove(folder: string): Installation | null {
  const here = (['repository', 'package', 'image'] as const)
    .map((kind) => ({ kind, folder }))
    .find(
      (one) =>
        existsSync(entryPoint(one, 'daemon')) &&
        (one.kind !== 'repository' || existsSync(join(folder, STARTER))),
    )
  return here ?? (dirname(folder) === folder ? null : installationAbove(dirname(folder)))
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

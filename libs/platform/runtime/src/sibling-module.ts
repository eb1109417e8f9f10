import { fileURLToPath } from 'node:url'

/** The entry point of a process or worker that runs from source as well as from a bundle. */
export interface SiblingModule {
  readonly path: string
  /** Arguments that node needs for it: the TypeScript loader if run from source. */
  readonly execArgv: readonly string[]
}

/**
 * Locates an entry point. From source it is `source`, relative to the caller's module and ending in `.ts`;
 * from a bundle (`scripts/bundle.mjs`) it is the file `bundled` beside it.
 */
export function siblingModule(callerUrl: string, source: string, bundled: string): SiblingModule {
  if (!callerUrl.endsWith('.ts')) return { path: fileURLToPath(new URL(bundled, callerUrl)), execArgv: [] }
  return {
    path: fileURLToPath(new URL(source, callerUrl)),
    execArgv: ['--import', import.meta.resolve('tsx')],
  }
}

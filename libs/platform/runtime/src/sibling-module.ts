import { fileURLToPath } from 'node:url'

/** A process or worker entry point that runs from source as well as from a bundle. */
export interface SiblingModule {
  readonly path: string
  /** What node needs before it: the TypeScript loader when run from source. */
  readonly execArgv: readonly string[]
}

/**
 * Locates an entry point: from source `source`, relative to the caller's module and ending in `.ts`; from a bundle
 * (`scripts/bundle.mjs`) the file `bundled` beside it.
 */
export function siblingModule(callerUrl: string, source: string, bundled: string): SiblingModule {
  if (!callerUrl.endsWith('.ts')) return { path: fileURLToPath(new URL(bundled, callerUrl)), execArgv: [] }
  return {
    path: fileURLToPath(new URL(source, callerUrl)),
    execArgv: ['--import', import.meta.resolve('tsx')],
  }
}

import { pathToFileURL } from 'node:url'
import { startEmbeddedDatabase } from '../embedded/start.ts'

/** Set by `global-setup.ts`: the bundle of `embedded/start.ts`. */
export const TEST_EMBEDDED_BUNDLE = 'DAYBOOK_TEST_EMBEDDED_BUNDLE'

/**
 * Starts an embedded database as a daemon does: from a bundle, where a run of tests has made one. From source its process would load
 * the TypeScript loader first, which takes .8 s of CPU time, half of what the start itself takes.
 */
export const startBundledDatabase: typeof startEmbeddedDatabase = async (...given) => {
  const bundle = process.env[TEST_EMBEDDED_BUNDLE]
  if (bundle === undefined) return startEmbeddedDatabase(...given)
  const bundled = (await import(pathToFileURL(bundle).href)) as {
    startEmbeddedDatabase: typeof startEmbeddedDatabase
  }
  return bundled.startEmbeddedDatabase(...given)
}

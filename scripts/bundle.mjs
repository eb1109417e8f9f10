// Bundles a service with the npm packages that it imports: node reads one file in a third of the time that
// 1,500 take (docs/measurements.md#bundled-packages). `bundle` in the service's package.json lists the
// bundles and their entry points.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, stop } from 'esbuild'
import { REPOSITORY } from './repository.mjs'

/**
 * Packages that need the files beside them (native code, WebAssembly, workers, weights), or are large and
 * rarely loaded.
 */
const OUTSIDE = [
  '@electric-sql/*',
  '@graphql-yoga/render-graphiql',
  '@huggingface/transformers',
  '@lat.md/*',
  '@opentelemetry/*',
  'fs-native-extensions',
  'onnx-proto',
  'pino',
  // Optional dependencies of other packages.
  'bufferutil',
  'pg-native',
  'utf-8-validate',
]

/** Packages in CommonJS load node's own modules with `require`, which ES modules do not have. */
const REQUIRE = `import { createRequire as daybookCreateRequire } from 'node:module'
const require = daybookCreateRequire(import.meta.url)`

/**
 * Bundles a service.
 * @param {string} service a folder of `services/`
 * @param {string} outdir the target folder, created if it is missing
 * @param {'info' | 'warning'} [logLevel] what is printed; default warnings only
 * @returns {Promise<string[]>} our sources in the bundle, relative to the repository
 */
export async function bundle(service, outdir, logLevel = 'warning') {
  const folder = join(REPOSITORY, 'services', service)
  const { bundle: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { metafile } = await build({
    absWorkingDir: REPOSITORY,
    entryPoints: Object.entries(entries).map(([out, source]) => ({ out, in: join(folder, source) })),
    outdir,
    bundle: true,
    metafile: true,
    // Puts code that is imported late into separate files, so that a command loads only what it needs.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel,
    external: OUTSIDE,
    // Its CommonJS form loads its parts by names that esbuild cannot follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    // Errors and logs show the names of classes and functions.
    keepNames: true,
    banner: { js: REQUIRE },
  })
  // Else its process stays beside the daemon that starts from the bundle.
  await stop()
  // npm packages are left out: the lock file covers them.
  return Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'))
}

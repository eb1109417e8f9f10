// Bundles a service with the npm packages that it imports: node takes 0.9 s of processor time to find and read their 1,500 files one by
// one, and 0.3 s for one. What is bundled, `bundle` in its package.json says: the names of the bundles, and the sources that
// they begin with.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { REPOSITORY } from './repository.mjs'

/** What needs the files beside it (native code, WebAssembly, workers, weights), or is large and loaded late if at all. */
const OUTSIDE = [
  '@electric-sql/*',
  '@graphql-yoga/render-graphiql',
  '@huggingface/transformers',
  '@lat.md/*',
  '@opentelemetry/*',
  'fs-native-extensions',
  'onnx-proto',
  'pino',
  // Asked for by packages that do without.
  'bufferutil',
  'pg-native',
  'utf-8-validate',
]

/** Packages in CommonJS ask for node's own modules by `require`, which modules do not have. */
const REQUIRE = `import { createRequire as daybookCreateRequire } from 'node:module'
const require = daybookCreateRequire(import.meta.url)`

/**
 * @param {string} service a folder of `services/`
 * @param {string} outdir where to, made where it is missing
 * @param {'info' | 'warning'} [logLevel] what is printed; default warnings only
 * @returns {Promise<string[]>} our sources that went in, relative to the repository
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
    // Keeps what is imported late in files of its own, so that a command loads only what it needs.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel,
    external: OUTSIDE,
    // Names of classes and functions stand in errors and logs.
    keepNames: true,
    banner: { js: REQUIRE },
  })
  // What npm packages there are, the lock file says.
  return Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'))
}

// Bundles a service with the npm packages that it imports: node reads one file in a third of the time that
// 1,500 take (docs/measurements.md#bundled-packages). `bundle` in the service's package.json lists the
// bundles and their entry points.
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundledOnnx } from './packaging/onnx.mjs'
import { REPOSITORY } from './repository.mjs'
import { withEsbuild } from './with-esbuild.mjs'

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
  'supports-color',
  'utf-8-validate',
]

/**
 * Of those, what the npm package has in its bundles, for which dependencies that nobody uses need not be installed:
 * transformers.js has 141 MB of WebAssembly for browsers and 19 MB for images, GraphiQL another copy of the API's server.
 */
const INSIDE_THE_PACKAGE = new Set([
  '@graphql-yoga/render-graphiql',
  '@huggingface/transformers',
  'onnx-proto',
])
const NO_IMAGES = join(REPOSITORY, 'scripts/packaging/no-images.mjs')

/** Packages in CommonJS load node's own modules with `require`, which ES modules do not have. */
const REQUIRE = `import { createRequire as daybookCreateRequire } from 'node:module'
const require = daybookCreateRequire(import.meta.url)`

/**
 * Bundles a service.
 * @param {string} service a folder of `services/`
 * @param {string} outdir the target folder, created if it is missing
 * @param {{ logLevel?: 'info' | 'warning', forPackage?: boolean }} [options] what is printed, default warnings only;
 * whether it is for the npm package, default false: without maps to the sources, and with fewer packages outside
 * @returns {Promise<{ sources: string[], bundled: string[], outside: string[] }>} our sources in the bundle and the
 * folders of the npm packages in it, relative to the repository, and the names of the npm packages that it imports
 */
export async function bundle(service, outdir, options) {
  const folder = join(REPOSITORY, 'services', service)
  const { bundle: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = Object.entries(entries).map(([name, source]) => [name, join(folder, source)])
  return bundleFiles(Object.fromEntries(files), outdir, options)
}

/**
 * Bundles source files that run from one folder.
 * @param {Record<string, string>} entries the files by the names of their bundles, without `.js`
 * @param {string} outdir as above, like the options and the result
 * @param {{ logLevel?: 'info' | 'warning', forPackage?: boolean }} [options]
 */
export async function bundleFiles(entries, outdir, { logLevel = 'warning', forPackage = false } = {}) {
  const { metafile } = await withEsbuild(() =>
    build({
      absWorkingDir: REPOSITORY,
      entryPoints: entries,
      outdir,
      bundle: true,
      metafile: true,
      // Puts code that is imported late into separate files, so that a command loads only what it needs.
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: !forPackage,
      logLevel,
      external: forPackage ? OUTSIDE.filter((name) => !INSIDE_THE_PACKAGE.has(name)) : OUTSIDE,
      alias: {
        // Its CommonJS form loads its parts by names that esbuild cannot follow.
        'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
        ...(forPackage && { sharp: NO_IMAGES }),
      },
      // Errors and logs show the names of classes and functions.
      keepNames: true,
      plugins: forPackage ? [bundledOnnx] : [],
      banner: { js: REQUIRE },
    }),
  )
  const inputs = Object.keys(metafile.inputs)
  const outputs = Object.values(metafile.outputs)
  return {
    sources: inputs.filter((path) => !path.includes('node_modules/')),
    bundled: bundledIn(metafile),
    outside: distinct(
      outputs
        .flatMap(({ imports }) => imports.filter(({ external }) => external === true))
        .filter(({ path }) => !isBuiltin(path))
        .flatMap(({ path }) => PACKAGE_NAME.exec(path)?.[0] ?? []),
    ),
  }
}

/**
 * Bundles the client for programs, also in browsers: a file for each of its entries, which share the rest.
 * @param {string} outdir as above
 * @param {string[]} peers packages of the program that uses it, which stay outside
 * @returns {Promise<string[]>} the folders of the npm packages in it, relative to the repository
 */
export async function bundleClient(outdir, peers) {
  const folder = join(REPOSITORY, 'libs/client')
  const { metafile } = await withEsbuild(() =>
    build({
      absWorkingDir: REPOSITORY,
      entryPoints: {
        index: join(folder, 'src/index.ts'),
        ai: join(folder, 'src/ai/index.ts'),
        langgraph: join(folder, 'src/langgraph/index.ts'),
      },
      outdir,
      bundle: true,
      metafile: true,
      splitting: true,
      platform: 'neutral',
      mainFields: ['module', 'main'],
      format: 'esm',
      target: 'es2022',
      logLevel: 'warning',
      external: peers,
      keepNames: true,
    }),
  )
  return bundledIn(metafile)
}

/** The folders of the packages in a bundle; not of what was read, but left out because nothing uses it. */
const bundledIn = ({ outputs }) =>
  distinct(
    Object.values(outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .flatMap(([path]) => PACKAGE_FOLDER.exec(path)?.[0] ?? []),
  )

/** The innermost package that a file belongs to. */
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u
const PACKAGE_NAME = /^(?:@[^/]+\/)?[^/]+/u

const distinct = (names) => [...new Set(names)].toSorted()

// Bundles the web console for browsers: one page, its script and style, and a script for each part that is loaded
// late. The names of files hold their hashes, so that browsers keep them for ever.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { REPOSITORY } from './repository.mjs'
import { withEsbuild } from './with-esbuild.mjs'

/** Where the gateway serves them (`services/gateway/src/console/serve-console.ts`). */
const ASSETS = '/console/assets/'

/** Browsers of the last two years or so. */
const TARGET = ['es2023', 'chrome120', 'firefox121', 'safari17.2']

/**
 * @param {string} outdir the target folder, created if it is missing: `index.html` and `assets/`
 * @param {{ logLevel?: 'info' | 'warning' }} [options] what is printed, default warnings only
 * @returns {Promise<{ sources: string[], bundled: string[], first: number }>} our sources and the folders of npm packages
 * in it, relative to the repository; the size of the first screen, in bytes after gzip
 */
export async function bundleConsole(outdir, { logLevel = 'warning' } = {}) {
  const folder = join(REPOSITORY, 'services/console')
  const { page } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const assets = join(outdir, 'assets')
  mkdirSync(assets, { recursive: true })
  const { metafile, outputFiles } = await withEsbuild(() =>
    build({
      absWorkingDir: REPOSITORY,
      entryPoints: { main: join(folder, page.main), style: join(folder, page.style) },
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      assetNames: '[name]-[hash]',
      outdir: assets,
      publicPath: ASSETS,
      bundle: true,
      metafile: true,
      write: false,
      splitting: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      target: TARGET,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      loader: { '.svg': 'file' },
      legalComments: 'none',
      logLevel,
    }),
  )
  const sizes = new Map(
    await Promise.all(
      outputFiles.map(async ({ path, contents }) => {
        const [br, gz] = await Promise.all([
          promisify(brotliCompress)(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
          promisify(gzip)(contents, { level: 9 }),
        ])
        writeFileSync(path, contents)
        writeFileSync(`${path}.br`, br)
        writeFileSync(`${path}.gz`, gz)
        return [basename(path), gz.length]
      }),
    ),
  )
  const { outputs, inputs } = metafile
  const named = (entry) =>
    Object.keys(outputs).find((path) => outputs[path].entryPoint === `services/console/${entry}`)
  const [main, style, first] = [page.main, page.style, page.first].map(named)
  // What the first screen needs is known before any script runs, so it loads side by side.
  const needed = new Set([main, first].flatMap((path) => [path, ...staticImports(outputs, path)]))
  const scripts = [...needed].map((path) => basename(path))
  writeFileSync(join(outdir, 'index.html'), pageOf(scripts, basename(style)))
  const paths = Object.keys(inputs)
  return {
    sources: paths.filter((path) => !path.includes('node_modules/')),
    bundled: [...new Set(paths.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []))].toSorted(),
    first: [...scripts, basename(style)].reduce((sum, name) => sum + sizes.get(name), 0),
  }
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u

/** What a script imports at once, and what that imports. */
function staticImports(outputs, path, seen = new Set()) {
  for (const { path: imported, kind } of outputs[path].imports)
    if (kind === 'import-statement' && imported in outputs && !seen.has(imported)) {
      seen.add(imported)
      staticImports(outputs, imported, seen)
    }
  return seen
}

const pageOf = ([main, ...others], style) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Daybook</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ASSETS}${style}">
${others.map((name) => `<link rel="modulepreload" href="${ASSETS}${name}">\n`).join('')}<script type="module" src="${ASSETS}${main}"></script>
</head>
<body><noscript>The console of Daybook needs JavaScript. The API is at /graphql.</noscript></body>
</html>
`

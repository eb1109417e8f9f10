// Bundles a service: our own packages inside, npm packages outside. What is bundled, `bundle` in its package.json says:
// the names of the bundles, and the sources that they begin with.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { REPOSITORY } from './repository.mjs'

const npmPackagesOutside = {
  name: 'npm-packages-outside',
  setup(context) {
    context.onResolve({ filter: /^[^./]/ }, (args) =>
      args.path.startsWith('@daybook/') || args.kind === 'entry-point' ? undefined : { external: true },
    )
  },
}

/**
 * @param {string} service a folder of `services/`
 * @param {string} outdir where to, made where it is missing
 * @param {'info' | 'warning'} [logLevel] what is printed; default warnings only
 * @returns {Promise<string[]>} the sources that went in, relative to the repository
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
    plugins: [npmPackagesOutside],
  })
  return Object.keys(metafile.inputs)
}

// Bundles a service's entry points into its dist/: our own packages inside, npm packages outside.
// Usage, from a service's folder: node ../../scripts/bundle.mjs [name=]<entry.ts> …
import { basename } from 'node:path'
import { build } from 'esbuild'

const entries = process.argv.slice(2).map((argument) => {
  const [out, source] = argument.includes('=') ? argument.split('=') : [basename(argument, '.ts'), argument]
  return { out, in: source }
})

const npmPackagesOutside = {
  name: 'npm-packages-outside',
  setup(context) {
    context.onResolve({ filter: /^[^./]/ }, (args) =>
      args.path.startsWith('@daybook/') || args.kind === 'entry-point' ? undefined : { external: true },
    )
  },
}

await build({
  entryPoints: entries,
  outdir: 'dist',
  bundle: true,
  // Keeps what is imported late in files of its own, so that a command loads only what it needs.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'info',
  plugins: [npmPackagesOutside],
})

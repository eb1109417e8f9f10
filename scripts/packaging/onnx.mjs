// ONNX Runtime for the npm package. `onnxruntime-node` brings the libraries of all platforms, 288 MB, and an install
// script that downloads more. Here its JavaScript is in our bundles, and each platform's libraries are an optional
// package of their own, of which npm installs the one that fits.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../repository.mjs'

const BINARIES = join(REPOSITORY, 'node_modules/onnxruntime-node/bin/napi-v6')
const BINDING = 'onnxruntime_binding.node'
/** A copy of libonnxruntime.1.dylib, the name by which the binding loads it. */
const COPIES = /^libonnxruntime\.\d+\.\d+\.\d+\.dylib$/u

/** Where the source names the package by which esbuild cannot find it, and what stands there instead. */
const REPLACED = [
  {
    file: /@huggingface[\\/]transformers[\\/]dist[\\/]transformers\.node\.mjs$/,
    from: 'requireFromHere("onnxruntime-node")',
    to: 'require("onnxruntime-node")',
  },
  {
    file: /onnxruntime-node[\\/]dist[\\/]binding\.js$/,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of that file
    from: 'require(`../bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`)',
    to: `(() => {
      const name = \`daybook-onnx-\${process.platform}-\${process.arch}\`
      try {
        return require(name)
      } catch (cause) {
        // Whoever does not use the model runs without it: it fails when the model is loaded.
        const problem = \`it needs the package \${name}, an optional dependency of daybook (\${cause.code ?? cause})\`
        return {
          listSupportedBackends: () => [{ name: 'cpu', bundled: true }],
          initOrtOnce() {
            throw new Error(problem, { cause })
          },
        }
      }
    })()`,
  },
]

/** For esbuild: bundles the JavaScript of onnxruntime-node, which then loads the library from the platform's package. */
export const bundledOnnx = {
  name: 'bundled-onnx',
  setup(build) {
    for (const { file, from, to } of REPLACED)
      build.onLoad({ filter: file }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (text.split(from).length !== 2) throw new Error(`${path} does not have ${from} once`)
        return { contents: text.replace(from, () => to), loader: 'js' }
      })
  },
}

/**
 * Writes the packages of all platforms, each into its folder.
 * @param {string} target the folder of these folders
 * @param {object} common what their manifests share: `version`, `license`, `repository` and `engines`
 * @returns {{ folder: string, manifest: object }[]}
 */
export function writeOnnxPackages(target, common) {
  return readdirSync(BINARIES).flatMap((platform) =>
    readdirSync(join(BINARIES, platform)).map((arch) => {
      const name = `daybook-onnx-${platform}-${arch}`
      const [from, folder] = [join(BINARIES, platform, arch), join(target, name)]
      mkdirSync(folder, { recursive: true })
      const files = readdirSync(from).filter((file) => !COPIES.test(file))
      for (const file of files) copyFileSync(join(from, file), join(folder, file))
      const manifest = {
        name,
        description: `ONNX Runtime for Daybook on ${platform} ${arch}, as in onnxruntime-node`,
        ...common,
        main: BINDING,
        files,
        os: [platform],
        cpu: [arch],
        ...(platform === 'linux' && { libc: ['glibc'] }),
      }
      writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
      writeFileSync(join(folder, 'README.md'), `# ${name}\n\n${manifest.description}. Install \`daybook\`.\n`)
      // The same licence text; onnxruntime-node has none but its name in its package.json.
      const licence = readFileSync(join(REPOSITORY, 'LICENSE'), 'utf8')
      writeFileSync(
        join(folder, 'LICENSE'),
        licence.replace(/^Copyright .*$/mu, 'Copyright (c) Microsoft Corporation'),
      )
      return { folder, manifest }
    }),
  )
}

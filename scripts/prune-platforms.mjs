// Deletes the binaries of other platforms that npm installs, 245 of 565 MB. For images, and machines that
// keep their platform.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './repository.mjs'

const versions = join(REPOSITORY, 'node_modules/onnxruntime-node/bin')
for (const version of existsSync(versions) ? readdirSync(versions) : [])
  for (const platform of readdirSync(join(versions, version)))
    for (const arch of readdirSync(join(versions, version, platform))) {
      if (platform === process.platform && arch === process.arch) continue
      const folder = join(versions, version, platform, arch)
      rmSync(folder, { recursive: true })
      console.log(`deleted ${folder}`)
    }

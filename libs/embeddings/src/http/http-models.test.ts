import { describe, expect, it } from 'vitest'
import { parseHttpModel } from './http-models.ts'

describe('the names of providers’ models (capability 17)', () => {
  it.each([
    ['openai', 'openai/text-embedding-3-small/1536'],
    ['openai/text-embedding-3-small', 'openai/text-embedding-3-small/1536'],
    ['openai/text-embedding-3-small/256', 'openai/text-embedding-3-small/256'],
    // It gives 3,072, more than an index takes.
    ['openai/text-embedding-3-large', 'openai/text-embedding-3-large/1536'],
    ['openai/BAAI/bge-m3/1024', 'openai/BAAI/bge-m3/1024'],
    ['ollama', 'ollama/nomic-embed-text/768'],
    ['ollama/nomic-embed-text:latest', 'ollama/nomic-embed-text/768'],
    ['ollama/hf.co/me/mine:Q8_0/512', 'ollama/hf.co/me/mine:Q8_0/512'],
  ])('%s is %s, and that is its own name', (name, modelId) => {
    expect(parseHttpModel(name)).toMatchObject({ modelId })
    expect(parseHttpModel(modelId)).toMatchObject({ modelId })
  })

  it.each([
    ['ollama/of-mine', 'ollama/of-mine/1024'],
    ['openai/text-embedding-3-large/3072', 'at most 2000'],
    ['openai/text-embedding-ada-002/512', 'gives vectors of 1536'],
    ['openai/text-embedding-3-small/1999', 'gives vectors of 1536'],
    ['ollama/with spaces/64', 'not the name of a model'],
  ])('%s is refused: %s', (name, words) => {
    expect(parseHttpModel(name)).toMatchObject({ problem: expect.stringContaining(words) })
  })

  it('other names are not for providers', () => {
    for (const name of ['minilm', 'openais', 'test-hash/64', '']) expect(parseHttpModel(name)).toBeNull()
  })
})

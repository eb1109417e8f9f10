import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeEmbedder } from '../embedder.contract.ts'
import { type Embedder, type EmbedderError, isEmbedderDown } from '../embedder.ts'
import { type ProviderDouble, startProviderDouble } from '../testing/provider-double.ts'
import { createHttpEmbedder, type HttpEmbedderOptions, type Usage } from './http-embedder.ts'
import { type HttpModel, parseHttpModel } from './http-models.ts'

/* Against a local server that speaks the providers' APIs, over real HTTP. */

let double: ProviderDouble
let fixed: ProviderDouble
beforeAll(async () => {
  double = await startProviderDouble({ native: 64, maxWords: 600 })
  fixed = await startProviderDouble({ native: 96, fixed: true, maxTexts: 5 })
})
afterAll(async () => {
  await double.stop()
  await fixed.stop()
})
beforeEach(() => {
  double.requests.splice(0)
  double.faults.splice(0)
  fixed.requests.splice(0)
})

function modelOf(name: string): HttpModel {
  const model = parseHttpModel(name)
  if (model === null || 'problem' in model) throw new Error(model?.problem ?? name)
  return model
}
const open = (name: string, options: Partial<HttpEmbedderOptions> = {}): Embedder =>
  createHttpEmbedder({ model: modelOf(name), settings: double.settings, firstRetryMs: 5, ...options })
const failureOf = (promise: Promise<unknown>): Promise<EmbedderError> =>
  promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error as EmbedderError,
  )

for (const name of ['openai/any/64', 'ollama/any/64'])
  describeEmbedder(name, async () => open(name, { model: { ...modelOf(name), maxTokens: 8_192 } }))

describe('embedding providers (capability 17)', () => {
  it('sends what OpenAI’s API documents, and counts tokens and cost', async () => {
    const used: Usage[] = []
    const model = { ...modelOf('openai'), dimension: 64, price: 0.02 }
    const embedder = open('openai', {
      model,
      settings: { ...double.settings, price: 10 },
      onUsage: (one) => used.push(one),
    })
    await embedder.embed(['two words', 'three more words'])
    expect(double.requests).toEqual([
      {
        path: '/v1/embeddings',
        authorization: 'Bearer sk-test-5b0c3f',
        body: {
          model: 'text-embedding-3-small',
          input: ['two words', 'three more words'],
          encoding_format: 'float',
        },
      },
    ])
    expect(used).toEqual([{ modelId: 'openai/text-embedding-3-small/1536', tokens: 5, cost: 0.00005 }])
  })

  it('the list price holds at OpenAI only', async () => {
    const used: Usage[] = []
    const model = { ...modelOf('openai'), dimension: 64 }
    await open('openai', { model, onUsage: (one) => used.push(one) }).embed(['one'])
    expect(used).toMatchObject([{ cost: null }])
  })

  it('sends what Ollama’s API documents, with the prefixes that nomic-embed-text was trained with', async () => {
    const model = { ...modelOf('ollama'), dimension: 64 }
    const embedder = open('ollama', { model })
    await embedder.embed(['a text'])
    await embedder.embedQuery('a question')
    expect(
      double.requests.map(({ path, authorization, body }) => ({ path, authorization, ...body })),
    ).toEqual([
      { path: '/api/embed', model: 'nomic-embed-text', input: ['search_document: a text'], truncate: false },
      { path: '/api/embed', model: 'nomic-embed-text', input: ['search_query: a question'], truncate: false },
    ])
  })

  it('keeps to the provider’s limits for a request, and halves what another server finds too many', async () => {
    const texts = Array.from({ length: 300 }, (_, i) => `text ${i}`)
    await open('openai/any/64').embed(texts)
    expect(double.requests.map(({ body }) => body.input.length)).toEqual([128, 128, 44])
    const few = open('ollama/any/96', { settings: fixed.settings })
    const vectors = await few.embed(texts.slice(0, 12))
    expect(vectors.map(({ vector }) => vector)).toEqual(
      (await open('ollama/any/96', { settings: fixed.settings }).embed(texts.slice(0, 5)))
        .concat(await few.embed(texts.slice(5, 10)), await few.embed(texts.slice(10, 12)))
        .map(({ vector }) => vector),
    )
  })

  it('asks for fewer numbers where a model gives more, once it knows that it does', async () => {
    const large = open('openai/text-embedding-3-large/32')
    expect((await large.embed(['one']))[0]?.vector).toHaveLength(32)
    expect(double.requests.map(({ body }) => body.dimensions)).toEqual([32])
    const unknown = open('openai/any/32')
    await unknown.embed(['one'])
    await unknown.embed(['two'])
    expect(double.requests.map(({ body }) => body.dimensions)).toEqual([32, undefined, 32, 32])
  })

  it('says what to do about vectors of another length', async () => {
    const failure = await failureOf(open('ollama/any/128').embed(['one']))
    expect(failure).toMatchObject({ code: 'WRONG_DIMENSION' })
    expect(failure.message).toContain('name it ollama/any/64')
    const refused = await failureOf(open('ollama/any/32', { settings: fixed.settings }).embed(['one']))
    expect(refused.message).toContain('does not support specifying dimensions')
  })

  it('refuses an answer with fewer vectors than texts, or without a direction', async () => {
    const embeddings = [[3, 4]]
    double.faults.push({ body: { embeddings } }, { body: { embeddings: [[0, 0]] } }, { body: { x: 1 } })
    const embedder = open('ollama/any/2')
    expect((await failureOf(embedder.embed(['one', 'two']))).message).toContain('1 vectors for 2 texts')
    expect((await failureOf(embedder.embed(['one']))).message).toContain('no direction')
    expect((await failureOf(embedder.embed(['one']))).message).toContain('not its API')
  })

  it('waits as long as a 429 asks, and a question does not wait', async () => {
    const rateLimited = (retryAfterMs: number) => ({
      status: 429,
      headers: { 'retry-after-ms': String(retryAfterMs) },
      body: { error: { message: 'Rate limit reached' } },
    })
    double.faults.push(rateLimited(400))
    const embedder = open('openai/any/64')
    const startedAt = performance.now()
    expect(await embedder.embed(['one'])).toHaveLength(1)
    expect(performance.now() - startedAt).toBeGreaterThan(390)

    double.faults.push(rateLimited(60_000))
    const texts = failureOf(embedder.embed(['two']))
    await expect.poll(() => double.requests.length, { interval: 5 }).toBe(3)
    await expect
      .poll(() => failureOf(embedder.embedQuery('a question')).then(({ message }) => message), {
        interval: 5,
      })
      .toMatch(/asks to wait for another \d+ s/u)
    await embedder.close()
    expect(await texts).toMatchObject({ code: 'CLOSED' })
  })

  it('fails at once while a provider asks for more than a minute, without asking it', async () => {
    double.faults.push({ status: 429, headers: { 'retry-after': '3600' }, body: { error: 'quota' } })
    const embedder = open('ollama/any/64')
    const failure = await failureOf(embedder.embed(['one']))
    expect(failure).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    expect(isEmbedderDown(await failureOf(embedder.embed(['two'])))).toBe(true)
    expect(double.requests).toHaveLength(1)
  })

  it('tries again after a 500, and gives up after four tries', async () => {
    const broken = { status: 500, body: { error: 'llama runner has crashed' } }
    double.faults.push(broken, broken)
    expect(await open('ollama/any/64').embed(['one'])).toHaveLength(1)
    expect(double.requests).toHaveLength(3)
    double.faults.push(broken, broken, broken, broken)
    const failure = await failureOf(open('ollama/any/64').embed(['one']))
    expect(failure).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    expect(failure.message).toContain('llama runner has crashed')
    expect(double.requests).toHaveLength(7)
  })

  it('does not wait for a provider that hangs, and tells the next question at once', async () => {
    double.faults.push({ delayMs: 400 })
    const embedder = open('ollama/any/64', { settings: { ...double.settings, timeoutMs: 100 } })
    expect((await failureOf(embedder.embedQuery('one'))).message).toContain('did not answer within 0.1 s')
    expect((await failureOf(embedder.embedQuery('two'))).message).toContain('asks to wait')
    expect(double.requests).toHaveLength(1)
  })

  it('says where nothing listens, and what to look at', async () => {
    const settings = { ...double.settings, ollama: { url: 'http://127.0.0.1:9' } }
    const failure = await failureOf(open('ollama', { settings }).embedQuery('one'))
    expect(failure).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    expect(failure.message).toMatch(
      /Ollama at http:\/\/127\.0\.0\.1:9\/api\/embed cannot be reached .*OLLAMA_URL/u,
    )
  })

  it('says how to get a missing model', async () => {
    const failure = await failureOf(open('ollama/missing/64').embed(['one']))
    expect(failure).toMatchObject({ code: 'MODEL_NOT_FOUND' })
    expect(failure.message).toContain('ollama pull missing')
    expect(await failureOf(open('openai/missing/64').embed(['one']))).toMatchObject({
      code: 'MODEL_NOT_FOUND',
    })
  })

  it('names no key in any failure', async () => {
    const settings = { ...double.settings, openai: { url: `${double.url}/v1`, apiKey: 'sk-secret-1' } }
    const wrong = open('openai/any/64', { settings })
    const refused = await failureOf(wrong.embed(['one']))
    expect(refused).toMatchObject({ code: 'PROVIDER_REFUSED_KEY' })
    expect(refused.message).toContain('OPENAI_API_KEY')
    double.faults.push({ status: 400, body: { error: { message: 'bad request with sk-secret-1' } } })
    const quoting = await failureOf(wrong.embed(['one']))
    expect(quoting.message).toContain('bad request with …')
    for (const { message, stack, cause } of [refused, quoting])
      expect(`${message} ${stack} ${String(cause)}`).not.toContain('sk-secret-1')
  })

  it('reads the key’s file for each request', async () => {
    const apiKeyFile = join(await mkdtemp(join(tmpdir(), 'daybook-key-')), 'key')
    const embedder = open('openai/any/64', {
      settings: { ...double.settings, openai: { url: `${double.url}/v1`, apiKeyFile } },
    })
    expect((await failureOf(embedder.embed(['one']))).message).toContain(apiKeyFile)
    await writeFile(apiKeyFile, 'sk-test-5b0c3f\n')
    expect(await embedder.embed(['one'])).toHaveLength(1)
  })

  it('passes on that a text is too long, which is no fault of the others', async () => {
    const tight = await startProviderDouble({ maxWords: 3 })
    for (const name of ['openai/any/64', 'ollama/any/64']) {
      const failure = await failureOf(open(name, { settings: tight.settings }).embed(['one two three four']))
      expect(failure).toMatchObject({ code: 'TEXT_TOO_LONG' })
      expect(isEmbedderDown(failure)).toBe(false)
    }
    await tight.stop()
  })
})

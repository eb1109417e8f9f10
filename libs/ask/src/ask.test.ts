import { readConfig } from '@daybook/runtime/config'
import type { ContextEntry, PackedContext } from '@daybook/search/context/context-request'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AskEvent, ask, type Pipeline } from './ask.ts'
import { openLanguageModel } from './language-model.ts'
import { type ChatDouble, startChatDouble } from './testing/chat-double.ts'

let double: ChatDouble
beforeAll(async () => {
  double = await startChatDouble()
})
afterAll(() => double.stop())
beforeEach(() => {
  double.requests.splice(0)
  double.replies.splice(0)
})

const entry = (number: number) => ({ number, text: `[${number}] note:${number}` }) as ContextEntry
const CONTEXT = {
  text: '[1] note:1\n  We take NATS\n[2] note:2\n  Tea is ready',
  entries: [entry(1), entry(2)],
} as unknown as PackedContext

const modelAt = (environment: Record<string, string> = {}) =>
  openLanguageModel(
    readConfig({
      DAYBOOK_ASK_MODEL: 'openai/small',
      OPENAI_BASE_URL: `${double.url}/v1`,
      OPENAI_API_KEY: 'sk-secret-2',
      ...environment,
    }),
  )
async function run(pipeline: Pipeline, environment?: Record<string, string>): Promise<AskEvent[]> {
  const request = { question: 'Which queue?', pipeline, language: 'SQL', context: CONTEXT }
  const events: AskEvent[] = []
  for await (const event of ask(modelAt(environment), request, new AbortController().signal))
    events.push(event)
  return events
}

describe('pipelines (capability 21)', () => {
  it('RAG: the context, the words as they come, and the answer with its citations', async () => {
    double.replies.push({ pieces: ['NATS ', '[1], not ', '[7].'] })
    expect(await run('RAG')).toEqual([
      { type: 'CONTEXT', context: CONTEXT },
      { type: 'TEXT', step: 'GENERATE', text: 'NATS ' },
      { type: 'TEXT', step: 'GENERATE', text: '[1], not ' },
      { type: 'TEXT', step: 'GENERATE', text: '[7].' },
      {
        type: 'ANSWER',
        text: 'NATS [1], not [7].',
        citations: [entry(1)],
        unknownCitations: [7],
        check: null,
        model: 'openai/small',
        inputTokens: 40,
        outputTokens: 7,
      },
    ])
    expect(double.requests).toMatchObject([
      { path: '/v1/chat/completions', authorization: 'Bearer sk-secret-2', model: 'small' },
    ])
    expect(double.requests[0]?.user).toContain(CONTEXT.text)
  })

  it('CODEGEN: the code, and then its check', async () => {
    double.replies.push({ pieces: ['```sql\nselect 1\n```'] }, { pieces: ['FAIL\n', 'no table'] })
    const events = await run('CODEGEN')
    expect(events.at(-1)).toMatchObject({
      text: '```sql\nselect 1\n```',
      check: { passed: false, text: 'FAIL\nno table' },
      inputTokens: 80,
    })
    expect(double.requests[0]?.system).toContain('SQL')
    expect(double.requests[1]?.user).toContain('select 1')
    expect(events.filter((event) => event.type === 'TEXT' && event.step === 'CHECK')).toHaveLength(2)
  })

  it('speaks to Ollama, without a key', async () => {
    await run('RAG', { DAYBOOK_ASK_MODEL: 'ollama/llama3.2:3b', OLLAMA_URL: double.url })
    expect(double.requests).toMatchObject([
      { path: '/v1/chat/completions', authorization: undefined, model: 'llama3.2:3b' },
    ])
  })

  it('without a model there is the context, and what to set', async () => {
    const events = await run('RAG', { DAYBOOK_ASK_MODEL: '' })
    expect(events).toMatchObject([
      { type: 'CONTEXT' },
      { type: 'FAILED', code: 'CONFIGURATION', message: expect.stringContaining('DAYBOOK_ASK_MODEL') },
    ])
  })

  it.each([
    [401, 'CONFIGURATION', 'does not accept the key'],
    [404, 'CONFIGURATION', 'has no model small'],
    [400, 'UNAVAILABLE', 'answers 400: too long'],
  ])('an endpoint that answers %i fails with %s, and names no key', async (status, code, words) => {
    const body = { error: { message: status === 401 ? 'Incorrect key sk-secret-2' : 'too long' } }
    double.replies.push({ status, body })
    const failed = (await run('RAG')).at(-1)
    expect(failed).toMatchObject({ type: 'FAILED', code, message: expect.stringContaining(words) })
    expect(JSON.stringify(failed)).not.toContain('sk-secret-2')
  })

  it('says that nothing listens, and that an answer takes too long', async () => {
    double.replies.push({ pieces: ['a '], hangs: true })
    const slow = await run('RAG', { DAYBOOK_ASK_TIMEOUT: '300ms' })
    expect(slow.at(-1)).toMatchObject({ type: 'FAILED', message: expect.stringContaining('within 0.3 s') })
    expect(slow).toContainEqual({ type: 'TEXT', step: 'GENERATE', text: 'a ' })
    const model = openLanguageModel(
      readConfig({ DAYBOOK_ASK_MODEL: 'ollama/x', OLLAMA_URL: 'http://127.0.0.1:9' }),
    )
    const said = model?.say({ system: 's', user: 'u' }, new AbortController().signal)
    await expect(said?.next()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('OLLAMA_URL'),
    })
  })

  it('ends with its listener', async () => {
    double.replies.push({ pieces: ['a '], hangs: true })
    const leaving = new AbortController()
    const request = { question: 'q', pipeline: 'RAG' as const, language: null, context: CONTEXT }
    const types: string[] = []
    for await (const event of ask(modelAt(), request, leaving.signal)) {
      types.push(event.type)
      if (event.type === 'TEXT') leaving.abort()
    }
    expect(types).toEqual(['CONTEXT', 'TEXT'])
  })
})

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHashEmbedder } from '../hash-embedder.ts'
import type { ProviderSettings } from '../http/provider-protocol.ts'

/** An answer instead of the usual one. */
export interface Fault {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Milliseconds before the answer. */
  readonly delayMs?: number
}

/** A request for vectors as the double received it. */
export interface ReceivedRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly input: readonly string[]
    readonly dimensions?: number
    readonly truncate?: boolean
    readonly encoding_format?: string
  }
}

/** A local server that speaks OpenAI's and Ollama's API for vectors. */
export interface ProviderDouble {
  readonly url: string
  /** Settings that reach it, with its key. */
  readonly settings: ProviderSettings
  readonly requests: ReceivedRequest[]
  /** The answers of the next requests, in order. */
  readonly faults: Fault[]
  stop(): Promise<void>
}

/** The options of `startProviderDouble`. */
export interface ProviderDoubleOptions {
  /** Numbers in a vector unless fewer are asked for. Default 64. */
  readonly native?: number
  /** Whether it refuses `dimensions`, as servers of models do that cannot shorten. Default false. */
  readonly fixed?: boolean
  /** Words in a text, beyond which it is too long. Default 8,192. */
  readonly maxWords?: number
  /** Texts in a request, beyond which it answers 413. Default 2,048. */
  readonly maxTexts?: number
}

const KEY = 'sk-test-5b0c3f'

/**
 * Starts the double. Its vectors are those of the hash embedder. Errors have the status and the words of the real
 * servers, as their documentation and their users' reports give them.
 */
export async function startProviderDouble(options: ProviderDoubleOptions = {}): Promise<ProviderDouble> {
  const { native = 64, fixed = false, maxWords = 8_192, maxTexts = 2_048 } = options
  const requests: ReceivedRequest[] = []
  const faults: Fault[] = []
  const embedders = new Map<number, ReturnType<typeof createHashEmbedder>>()
  const embedderOf = (dimension: number) => {
    const known = embedders.get(dimension) ?? createHashEmbedder({ dimension, maxTokens: 10_000 })
    embedders.set(dimension, known)
    return known
  }

  const refusalOf = (isOpenAi: boolean, { authorization, body }: ReceivedRequest): Fault | null => {
    const { input, model, dimensions } = body
    const error = (message: string, code: string | null = null) =>
      isOpenAi ? { error: { message, type: 'invalid_request_error', param: null, code } } : { error: message }
    if (isOpenAi && authorization !== `Bearer ${KEY}`)
      return {
        status: 401,
        body: error(`Incorrect API key provided: ${authorization?.slice(7)}.`, 'invalid_api_key'),
      }
    if (model.startsWith('missing'))
      return isOpenAi
        ? { status: 404, body: error(`The model \`${model}\` does not exist`, 'model_not_found') }
        : { status: 404, body: error(`model "${model}" not found, try pulling it first`) }
    if (input.length > maxTexts) return { status: 413, body: error('batch size is too large') }
    if (isOpenAi && (input.length > 2_048 || input.some((text) => text === '')))
      return { status: 400, body: error("'$.input' is invalid.") }
    if (dimensions !== undefined && (fixed || dimensions > native))
      return { status: 400, body: error('This model does not support specifying dimensions.') }
    const longest = Math.max(...input.map((text) => text.split(/\s+/u).length))
    if (longest <= maxWords) return null
    return {
      status: 400,
      body: error(
        isOpenAi
          ? `This model's maximum context length is ${maxWords} tokens, however you requested ${longest} tokens (${longest} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`
          : 'the input length exceeds the context length',
      ),
    }
  }
  const answer = async (request: ReceivedRequest): Promise<Fault> => {
    const isOpenAi = request.path.startsWith('/v1/')
    const refusal = refusalOf(isOpenAi, request)
    if (refusal !== null) return refusal
    const { input, model, dimensions } = request.body
    const made = await embedderOf(dimensions ?? native).embed(input)
    // Longer than 1, so that whoever uses them must scale them.
    const vectors = made.map(({ vector }) => Array.from(vector, (number) => number * 3))
    const tokens = input.reduce((sum, text) => sum + text.split(/\s+/u).length, 0)
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
    return {
      body: isOpenAi
        ? {
            object: 'list',
            model,
            data: data.toReversed(),
            usage: { prompt_tokens: tokens, total_tokens: tokens },
          }
        : { model, embeddings: vectors, total_duration: 1, prompt_eval_count: tokens },
    }
  }
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const request: ReceivedRequest = {
      path: incoming.url ?? '',
      authorization: incoming.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()) as ReceivedRequest['body'],
    }
    requests.push(request)
    const fault = faults.shift()
    if (fault?.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
    const { status = 200, headers, body } = fault?.status || fault?.body ? fault : await answer(request)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    settings: {
      openai: { url: `${url}/v1`, apiKey: KEY },
      ollama: { url },
      // Only a request that hangs takes so long.
      timeoutMs: 240_000,
    },
    requests,
    faults,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

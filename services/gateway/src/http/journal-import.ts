import type { IncomingMessage, ServerResponse } from 'node:http'
import { importJournal } from '@daybook/journal/import/import-journal'
import { DaybookError } from '@daybook/memory/errors'
import { isDatabaseUnavailable, whyUnavailable } from '@daybook/postgres/errors'
import { endingIterator } from '@daybook/runtime/ending-iterator'
import type { Authenticate } from '../authenticate.ts'
import type { GatewayParts } from '../parts.ts'
import { discardBody } from './discard-body.ts'
import { whyEnded } from './ended-early.ts'
import { failureOf } from './failure.ts'
import { sendFailure } from './json-response.ts'

/** The least time between two lines of progress, in milliseconds. */
const PROGRESS_MS = 500

interface ImportParts extends Pick<GatewayParts, 'db' | 'logger'> {
  readonly authenticate: Authenticate
  readonly closing: AbortSignal
}

/**
 * `POST /journal/import`: imports an exported journal of any length from the body. It reads no faster than it
 * writes. The answer is JSON Lines: `{"progress":…}` now and then, and at the end `{"result":…}` or
 * `{"error":…}`. A failure before the first progress is answered with its own HTTP status.
 */
export async function answerImport(
  { db, logger, authenticate, closing }: ImportParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = performance.now()
  let lastProgress = startedAt
  const send = (line: object) => {
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
    response.write(`${JSON.stringify(line)}\n`)
  }
  const body = endingIterator(() => bytesOf(request))
  // Also while the client sends nothing.
  const end = () => body.end(closing.reason as Error)
  closing.addEventListener('abort', end)
  try {
    const result = await importJournal(db, body, {
      signal: closing,
      onProgress(progress) {
        if (performance.now() - lastProgress < PROGRESS_MS) return
        lastProgress = performance.now()
        send({ progress })
      },
    })
    const { imported, alreadyThere, projects } = result
    logger.info({ imported, alreadyThere, projects: projects.length }, 'a journal was imported')
    // Keys may open other projects now.
    authenticate.forget()
    send({ result })
    response.end()
  } catch (error) {
    logger.info({ error }, 'an import of a journal ended early')
    authenticate.forget()
    // The client is gone, so there is nobody to answer.
    if (response.destroyed) return
    const failure = failureOf(whyEnded(closing, withAdvice(error), AGAIN))
    if (!response.headersSent) sendFailure(response, failure)
    else {
      const { status: _, ...rest } = failure
      send({ error: rest })
      response.end()
    }
    discardBody(request)
  } finally {
    closing.removeEventListener('abort', end)
  }
}

async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  // If the iterator destroyed the request at its end, the request could no longer be answered.
  yield* request.iterator({ destroyOnReturn: false })
}

function withAdvice(error: unknown): unknown {
  if (!isDatabaseUnavailable(error)) return error
  const message = `${whyUnavailable(error)}${AGAIN}`
  return new DaybookError('UNAVAILABLE', message, { cause: error })
}

const AGAIN = '. What was imported stays: run the same import again'

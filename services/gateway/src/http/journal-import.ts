import type { IncomingMessage, ServerResponse } from 'node:http'
import { importJournal } from '@daybook/journal/import/import-journal'
import { DaybookError } from '@daybook/memory/errors'
import { isDatabaseUnavailable, whyUnavailable } from '@daybook/postgres/errors'
import type { Authenticate } from '../authenticate.ts'
import type { GatewayParts } from '../parts.ts'
import { discardBody } from './discard-body.ts'
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
  try {
    // If the iterator destroyed the request at its end, the request could no longer be answered.
    const body = request.iterator({ destroyOnReturn: false })
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
    const failure = failureOf(closing.aborted ? interrupted() : withAdvice(error))
    if (!response.headersSent) sendFailure(response, failure)
    else {
      const { status: _, ...rest } = failure
      send({ error: rest })
      response.end()
    }
    discardBody(request)
  }
}

function withAdvice(error: unknown): unknown {
  if (!isDatabaseUnavailable(error)) return error
  const message = `${whyUnavailable(error)}. What was imported stays: run the same import again`
  return new DaybookError('UNAVAILABLE', message, { cause: error })
}

const interrupted = () =>
  new DaybookError(
    'UNAVAILABLE',
    'This Daybook is being stopped. What was imported stays: run the same import again',
  )

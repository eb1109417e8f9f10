import type { IncomingMessage, ServerResponse } from 'node:http'
import { importJournal } from '@daybook/journal/import/import-journal'
import { DaybookError } from '@daybook/memory/errors'
import { isDatabaseUnavailable, whyUnavailable } from '@daybook/postgres/errors'
import type { Authenticate } from '../authenticate.ts'
import type { GatewayParts } from '../parts.ts'
import { discardBody } from './discard-body.ts'
import { failureOf } from './failure.ts'
import { sendFailure } from './json-response.ts'

/** Milliseconds between two lines of progress at least. */
const PROGRESS_MS = 500

interface ImportParts extends Pick<GatewayParts, 'db' | 'logger'> {
  readonly authenticate: Authenticate
  readonly closing: AbortSignal
}

/**
 * `POST /journal/import`: imports an exported journal of any length from the body, read no faster than it is written. The answer
 * is JSON Lines: `{"progress":…}` now and then, and at last `{"result":…}` or `{"error":…}`. What fails before the first
 * progress is answered with a status of its own.
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
    // A request that is destroyed with its iterator could not be answered any more.
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
    // A project may have taken keys over.
    authenticate.forget()
    send({ result })
    response.end()
  } catch (error) {
    logger.info({ error }, 'an import of a journal ended early')
    authenticate.forget()
    // The client went away: there is nobody to answer.
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

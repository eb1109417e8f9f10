import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJournal } from '@daybook/journal/export/export-journal'
import { importJournal } from '@daybook/journal/import/import-journal'
import { DaybookError, ValidationError } from '@daybook/memory/errors'
import { findProject, listProjects, type Project } from '@daybook/postgres/access/projects'
import { isDatabaseUnavailable, whyUnavailable } from '@daybook/postgres/errors'
import { projectScope } from '@daybook/postgres/project-scope'
import { endingIterator } from '@daybook/runtime/ending-iterator'
import { readRequestTarget } from '@daybook/runtime/http/http-server'
import type { GatewayParts } from '../context.ts'
import { failureOf, sendFailure, whyEnded } from './failure.ts'
import { discardBody, type KnownExchange } from './request-context.ts'

/** Characters sent at a time. */
const CHUNK = 64 * 1024

/**
 * `GET /journal/export?project=<name or id>`: sends the journal as JSON Lines, of one project or of all. It
 * is read no faster than the client takes it. If the export fails on the way, its last line is `{"error":…}`
 * and the connection is cut, so that no client takes it for complete.
 * @throws ValidationError; DaybookError NOT_FOUND, errors of the database; then nothing was sent
 */
export async function answerExport(
  { db, logger }: GatewayParts,
  { request, response, closing }: KnownExchange,
): Promise<void> {
  const { query } = readRequestTarget(request.url)
  const [wanted = null, ...more] = query.getAll('project')
  const unknown = [...query.keys()].find((name) => name !== 'project')
  if (unknown !== undefined)
    throw new ValidationError(unknown, 'is no parameter of an export: there is only project')
  if (more.length > 0)
    throw new ValidationError('project', 'must be given once: leave it out for all projects')
  const projects = wanted === null ? await listProjects(db) : [await projectNamed(db, wanted)]
  const lines = exportJournal(
    projects.map(({ id, name }) => ({ scope: projectScope(db, id), name })),
    { signal: closing },
  )
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
  try {
    let chunk = ''
    for await (const line of lines) {
      chunk += line
      if (chunk.length < CHUNK) continue
      if (!response.write(chunk)) await drained(response)
      if (response.destroyed) return
      chunk = ''
    }
    response.end(chunk)
  } catch (error) {
    logger[closing.aborted ? 'info' : 'error']({ error }, 'an export of the journal broke off')
    const { status: _, ...failure } = failureOf(whyEnded(closing, error, ': export again'))
    response.write(`${JSON.stringify({ error: failure })}\n`, () => response.destroy())
  }
}

async function projectNamed(db: GatewayParts['db'], nameOrId: string): Promise<Project> {
  const project = await findProject(db, nameOrId)
  if (project === null) throw new DaybookError('NOT_FOUND', `There is no project "${nameOrId}"`)
  return project
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
    if (response.destroyed) done()
  })
}

/** The least time between two lines of progress, in milliseconds. */
const PROGRESS_MS = 500

/**
 * `POST /journal/import`: imports an exported journal of any length from the body. It reads no faster than it
 * writes. The answer is JSON Lines: `{"progress":…}` now and then, and at the end `{"result":…}` or
 * `{"error":…}`. A failure before the first progress is answered with its own HTTP status.
 * @throws ValidationError for a compressed body
 */
export async function answerImport(
  { db, logger, authenticate }: GatewayParts,
  { request, response, closing }: KnownExchange,
): Promise<void> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw new ValidationError(
      'Content-Encoding',
      'must be absent: the body is read as it is. Unpack it before',
    )
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

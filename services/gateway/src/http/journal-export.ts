import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJournal } from '@daybook/journal/export/export-journal'
import { DaybookError } from '@daybook/memory/errors'
import { findProject, listProjects, type Project } from '@daybook/postgres/access/projects'
import { projectScope } from '@daybook/postgres/project-scope'
import { readRequestTarget } from '@daybook/runtime/http/request-target'
import type { GatewayParts } from '../parts.ts'
import { whyEnded } from './ended-early.ts'
import { failureOf } from './failure.ts'

/** Characters sent at a time. */
const CHUNK = 64 * 1024

/**
 * `GET /journal/export?project=<name or id>`: sends the journal as JSON Lines, of one project or of all. It
 * is read no faster than the client takes it. If the export fails on the way, its last line is `{"error":…}`
 * and the connection is cut, so that no client takes it for complete.
 * @throws DaybookError NOT_FOUND, errors of the database; then nothing was sent
 */
export async function answerExport(
  { db, logger, closing }: Pick<GatewayParts, 'db' | 'logger'> & { readonly closing: AbortSignal },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const wanted = readRequestTarget(request.url).query.get('project')
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

import { createHash } from 'node:crypto'
import { canonicalJson } from '@daybook/memory/canonical-json'
import { CHAIN_START, hashData, hashEvent } from '@daybook/memory/event-hash'
import { listProjects } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { exportJournal } from '../export/export-journal.ts'

/** The exported journals of all projects, or of these, as one text. */
export async function exported(db: Database, ids?: readonly string[]): Promise<string> {
  const projects = (await listProjects(db))
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map(({ id, name }) => ({ scope: projectScope(db, id), name }))
  let text = ''
  for await (const line of exportJournal(projects, { pageEvents: 7 })) text += line
  return text
}

/** A file in chunks, as it arrives. */
export async function* bytesOf(text: string, chunkBytes = 1_000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes)
}

/** The lines with a new end, whose counts and checksum are right for them. */
export function withRightEnd(lines: readonly string[]): string {
  const body = lines.filter((line) => line !== '' && !line.startsWith('{"end"'))
  const text = body.map((line) => `${line}\n`).join('')
  const count = (start: string) => body.filter((line) => line.startsWith(start)).length
  const sha256 = createHash('sha256').update(text).digest('hex')
  return `${text}{"end":{"events":${count('{"event"')},"projects":${count('{"project"')},"sha256":"${sha256}"}}\n`
}

/** The lines of one project with all hashes recomputed, as somebody might do who knows the format. */
export function rechained(lines: readonly string[]): string {
  let hash = CHAIN_START
  let projectId = ''
  const made = lines
    .filter((line) => line !== '')
    .map((line) => {
      const value = JSON.parse(line)
      if ('project' in value) projectId = value.project.id
      if (!('event' in value)) return line
      const { data, dataSalt } = value.event
      const dataHash = dataSalt === null ? value.event.dataHash : hashData(dataSalt, data)
      hash = hashEvent(hash, { ...value.event, projectId }, dataHash)
      return canonicalJson({ event: { ...value.event, dataHash, hash } })
    })
  const head = `"hash":"${hash}"`
  return withRightEnd(
    made.map((line) => (line.startsWith('{"project"') ? line.replace(/"hash":"[^"]*"/u, head) : line)),
  )
}

import { splitText } from '@daybook/memory/documents/split-text'
import { joinParts } from '@daybook/memory/text-rules'
import { contextOf } from './conversation.ts'
import { hash, type ImportItem, isRecord, metadataOf, momentOf } from './format.ts'

/*
 * What Claude's export holds beside the conversations: projects (`projects.json`, newer ones a file each) and what Claude remembers of a
 * person (`memories.json`, newer ones a file for each account).
 */

type Project = Readonly<Record<string, unknown>>

/** Whether a value is a project, and no conversation. */
export const isProject = (one: unknown): one is Project =>
  isRecord(one) &&
  'uuid' in one &&
  !('chat_messages' in one) &&
  ('prompt_template' in one || Array.isArray(one['docs']))

/** Whether a value is what Claude remembers of a person. */
export const isMemory = (one: unknown): one is Readonly<Record<string, unknown>> =>
  isRecord(one) && ['conversations_memory', 'project_memories', 'memory_files'].some((name) => name in one)

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])

/** A text, to be one document or several. */
interface Text {
  /** Names the original. */
  readonly id: string
  readonly title: string
  readonly text: unknown
  /** What it is if it holds no text, in the plural. */
  readonly ifEmpty: string
  readonly at?: unknown
  /** The project it belongs to. */
  readonly project?: string | undefined
  /** The project's name, if it is known. */
  readonly name?: string | undefined
}

/** A name that says something, or the other one. */
const nameOr = (name: unknown, other: string) =>
  typeof name === 'string' && name.trim() !== '' ? name : other

/** Each project's description and instructions as one document, and each of its files with a text as another. */
export function* projectItems(projects: readonly Project[]): Generator<ImportItem> {
  for (const { uuid, name, description, prompt_template: prompt, docs, created_at: at } of projects) {
    const project = String(uuid)
    const title = nameOr(name, 'Untitled')
    const texts = [description, prompt].filter((text) => typeof text === 'string')
    const about = { project, name: title, at }
    yield* documents({
      ...about,
      id: `project:${project}`,
      title,
      text: joinParts(texts),
      ifEmpty: 'projects without instructions',
    })
    for (const doc of recordsIn(docs)) {
      const file = nameOr(doc['filename'] ?? doc['file_name'], 'Untitled')
      yield* documents({
        ...about,
        id: `project-file:${String(doc['uuid'] ?? hash(project, file))}`,
        title: file,
        text: doc['content'],
        ifEmpty: 'files',
        at: doc['created_at'] ?? at,
      })
    }
  }
}

/** What Claude remembers of a person, of each project, and in files of its own, as documents. @param projects name them */
export function* memoryItems(
  memories: readonly Readonly<Record<string, unknown>>[],
  projects: readonly Project[],
): Generator<ImportItem> {
  const names = new Map(projects.map(({ uuid, name }) => [String(uuid), nameOr(name, 'Untitled')]))
  for (const {
    account_uuid: account,
    conversations_memory: ofAll,
    project_memories: ofEach,
    memory_files: files,
  } of memories) {
    const owner = nameOr(account, 'account')
    const ifEmpty = 'empty memories'
    if (ofAll !== undefined)
      yield* documents({ id: `memory:${owner}`, title: 'Claude’s memory', text: ofAll, ifEmpty })
    for (const [project, text] of Object.entries(isRecord(ofEach) ? ofEach : {})) {
      const name = names.get(project)
      const title = `Claude’s memory of ${name ?? `project ${project.slice(0, 8)}`}`
      yield* documents({ id: `project-memory:${project}`, title, text, ifEmpty, project, name })
    }
    for (const { path, content, updated_at: at } of recordsIn(files)) {
      const title = nameOr(path, 'Untitled')
      const project = /^\/?projects\/([^/]+)\//u.exec(title)?.[1]
      const name = names.get(project ?? '')
      yield* documents({
        id: `memory-file:${owner}:${title}`,
        title,
        text: content,
        ifEmpty,
        at,
        project,
        name,
      })
    }
  }
}

function* documents({ id, title, text, ifEmpty, at, project, name }: Text): Generator<ImportItem> {
  const where = `"${title}"`
  if (typeof text !== 'string' || text.trim() === '') return yield { where, leftOut: ifEmpty }
  for (const [part, content] of splitText(text).entries()) {
    const key = `claude:${id}${part === 0 ? '' : `:${part}`}`
    yield {
      where,
      input: {
        content: { document: { title, content, externalId: key } },
        ...(project !== undefined && { context: contextOf('claude', name ?? 'Project', project) }),
        labels: ['claude'],
        occurredAt: momentOf(at),
        metadata: metadataOf({ project }),
        idempotencyKey: key,
      },
    }
  }
}

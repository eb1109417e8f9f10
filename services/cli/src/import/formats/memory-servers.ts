import { hash, isRecord, type JsonFormat, listOf, metadataOf, momentOf, recordsOf } from './format.ts'

/*
 * The files of other memory servers, each read from what the server itself writes: `@modelcontextprotocol/server-memory`
 * (src/memory/index.ts), mcp-memory-service (sync/importer.py) and claude-mem (scripts/export-memories.ts).
 */

/** A text that says something; undefined for anything else. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** A list, also where a database kept it as JSON text. */
function parsedList(value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return Array.isArray(value) ? value : []
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) ? list : [value]
  } catch {
    return [value]
  }
}

const isRelation = (one: unknown) => isRecord(one) && one['type'] === 'relation'
const isEntity = (one: unknown) => isRecord(one) && one['type'] === 'entity' && 'observations' in one

/** A knowledge graph has one entity or relation a line, and the server's own answers have them in two lists. */
function graphIn(
  value: unknown,
): { entities: readonly unknown[]; relations: readonly unknown[] } | undefined {
  if (isRecord(value))
    return Array.isArray(value['entities']) && Array.isArray(value['relations'])
      ? { entities: value['entities'], relations: value['relations'] }
      : undefined
  if (!Array.isArray(value)) return undefined
  if (!value.some((one) => isEntity(one) || isRelation(one))) return undefined
  return { entities: value.filter((one) => !isRelation(one)), relations: value.filter(isRelation) }
}

type Entity = Readonly<Record<string, unknown>>

const observedOf = ({ observations }: Entity): readonly string[] =>
  parsedList(observations).flatMap((one) => textOf(isRecord(one) ? one['content'] : one) ?? [])

/** Two of one name are two things, if they are of two types. */
const entityKey = ({ name, entityType }: Entity): string => hash(String(name), textOf(entityType) ?? 'thing')

/** Entities with what was observed of them, and their relations as sentences. */
export const serverMemory: JsonFormat = {
  name: 'server-memory',
  description: 'the memory.jsonl of @modelcontextprotocol/server-memory',
  fits: (value) => graphIn(value) !== undefined,
  *items(value) {
    const { entities, relations } = graphIn(value) ?? { entities: [], relations: [] }
    const names = new Set(entities.flatMap((one) => (isRecord(one) ? [one['name']] : [])))
    const sentences = new Map<unknown, string[]>()
    for (const relation of relations) {
      const { from, to, relationType } = isRecord(relation) ? relation : {}
      if (!names.has(from)) {
        yield { where: `relation from ${JSON.stringify(from)}`, leftOut: 'relations of nothing' }
        continue
      }
      const words = String(relationType).replaceAll('_', ' ')
      const known = sentences.get(from) ?? []
      known.push(`${String(from)} ${words} ${String(to)}`)
      sentences.set(from, known)
    }
    // Two servers that write one file leave two lines for one entity.
    const all = new Map<string, string[]>()
    for (const one of entities.filter(isRecord)) {
      const observed = all.get(entityKey(one)) ?? []
      observed.push(...observedOf(one))
      all.set(entityKey(one), observed)
    }
    yield* recordsOf(entities, 'entity', (entity, where) => {
      const { name, entityType } = entity
      const named = textOf(name)
      if (named === undefined) return { where, problem: 'has no name' }
      const observed = new Set(all.get(entityKey(entity)))
      const content = [...observed, ...(sentences.get(name) ?? [])].join('\n')
      return {
        where: `entity ${named}`,
        input: {
          content: {
            entity: { name: named, type: textOf(entityType) ?? 'thing', ...(content !== '' && { content }) },
          },
          labels: ['server-memory'],
          metadata: {},
          idempotencyKey: `server-memory:${entityKey(entity)}`,
        },
      }
    })
  },
}

/** Memories as notes, their tags as labels. The hash of a text is its name there, too. */
export const memoryService: JsonFormat = {
  name: 'mcp-memory-service',
  description: 'an export of mcp-memory-service, as JSON',
  fits: (value) => isRecord(value) && 'export_metadata' in value && Array.isArray(value['memories']),
  *items(value) {
    const { memories, export_metadata: about } = value as Record<string, unknown>
    const machine = isRecord(about) ? about['source_machine'] : undefined
    yield* recordsOf(parsedList(memories), 'memory', (memory, where) => {
      const text = textOf(memory['content'])
      if (text === undefined) return { where, problem: 'has no text' }
      const { metadata, memory_type: type, created_at: created, created_at_iso: written } = memory
      return {
        where,
        input: {
          content: { note: { text } },
          labels: [...new Set([...listOf(memory['tags']), 'mcp-memory-service'])],
          occurredAt: momentOf(created) ?? momentOf(written),
          metadata: metadataOf({ ...(isRecord(metadata) ? metadata : {}), type, machine }),
          idempotencyKey: `mcp-memory-service:${textOf(memory['content_hash']) ?? hash(text)}`,
        },
      }
    })
  },
}

/** What each part of a summary says, in its order. */
const SUMMARY: readonly (readonly [string, string])[] = [
  ['request', 'Asked'],
  ['investigated', 'Looked at'],
  ['learned', 'Learned'],
  ['completed', 'Done'],
  ['next_steps', 'Next'],
  ['notes', 'Notes'],
]

/** Observations as facts, decisions as decisions, summaries as closed sessions, prompts as notes. A project is a context. */
export const claudeMem: JsonFormat = {
  name: 'claude-mem',
  description: 'what claude-mem writes with its export script',
  fits: (value) =>
    isRecord(value) && Array.isArray(value['observations']) && Array.isArray(value['summaries']),
  *items(value) {
    const { observations, summaries, prompts, sessions } = value as Record<string, unknown>
    const seen = new Map<string, number>()
    yield* recordsOf(parsedList(observations), 'observation', (one, where) => {
      const title = textOf(one['title'])
      const body = [
        ...[one['subtitle'], one['narrative'], one['text']].flatMap((part) => textOf(part) ?? []),
        ...parsedList(one['facts']).flatMap((fact) => textOf(fact) ?? []),
      ].join('\n')
      if (title === undefined && body === '') return { where, problem: 'has no text' }
      const isDecision = one['type'] === 'decision' && title !== undefined && body !== ''
      const summary = title ?? body
      const common = commonOf('observation', one, title ?? '')
      // One moment of a session may have several of one title.
      const occurrence = (seen.get(common.idempotencyKey) ?? 0) + 1
      seen.set(common.idempotencyKey, occurrence)
      return {
        where,
        input: {
          ...common,
          idempotencyKey: occurrence === 1 ? common.idempotencyKey : `${common.idempotencyKey}:${occurrence}`,
          content: isDecision
            ? { decision: { topic: title, decision: body } }
            : { fact: { summary, ...(title !== undefined && body !== '' && { content: body }) } },
          // Decisions that share a title are several.
          ...(isDecision && { onExisting: 'KEEP_BOTH' as const }),
        },
      }
    })
    yield* recordsOf(parsedList(summaries), 'summary', (one, where) => {
      const lines = SUMMARY.flatMap(([name, says]) => {
        const text = textOf(one[name])
        return text === undefined ? [] : [`${says}: ${text}`]
      })
      if (lines.length === 0) return { where, problem: 'has no text' }
      return {
        where,
        input: {
          ...commonOf('summary', one, ''),
          content: { session: { summary: lines.join('\n'), status: 'CLOSED' } },
        },
      }
    })
    yield* recordsOf(parsedList(prompts), 'prompt', (one, where) => {
      const text = textOf(one['prompt_text'])
      if (text === undefined) return { where, problem: 'has no text' }
      return {
        where,
        input: { ...commonOf('prompt', one, ''), content: { note: { text: `user: ${text}` } } },
      }
    })
    for (const _ of parsedList(sessions)) yield { where: 'sessions', leftOut: 'session records' }
  },
}

/** What its records share. Their numbers are another machine's on another machine, so session and moment name them. */
function commonOf(what: string, one: Readonly<Record<string, unknown>>, title: string) {
  const { type, project, concepts, files_read: read, files_modified: modified, created_at: at } = one
  const session = one['memory_session_id'] ?? one['content_session_id']
  const epoch = one['created_at_epoch']
  return {
    context: textOf(project),
    labels: [...new Set(['claude-mem', ...listOf(parsedList(concepts))])],
    occurredAt: momentOf(epoch) ?? momentOf(at),
    metadata: metadataOf({
      type,
      session,
      filesRead: read && parsedList(read),
      filesModified: modified && parsedList(modified),
    }),
    idempotencyKey: `claude-mem:${what}:${hash(String(session), String(epoch ?? at), String(one['prompt_number'] ?? ''), title)}`,
  }
}

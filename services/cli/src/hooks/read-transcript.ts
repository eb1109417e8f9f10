import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { Environment } from '../settings.ts'

/** What a transcript says of a session without anybody interpreting it. */
export interface Transcript {
  /** What the user wrote, in order. */
  readonly requests: readonly string[]
  /** The files that tools of the agent changed, each once, in order. */
  readonly files: readonly string[]
  /** When it began, as the first line with a time says (RFC 3339); null if none does, as in Cursor's. */
  readonly startedAt: string | null
}

/**
 * The bytes of a long transcript that are read, from its beginning and from its end. Reading and parsing all of 8 MiB takes about 60 ms.
 */
const [HEAD, TAIL] = [1024 * 1024, 7 * 1024 * 1024]

/**
 * Reads a transcript: JSON Lines, each with a message in the form of Anthropic's API.
 *
 *   {"type":"user","isSidechain":false,"message":{"role":"user","content":"Fix the login"},"timestamp":"…"}       Claude Code
 *   {"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"…"}}]}}
 *   {"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nFix the login\n</user_query>"}]}}    Cursor
 *
 * Both call the form internal, so lines that look otherwise are passed over. Observed forms:
 * github.com/skillsynchq/txcript, docs/formats/claude-code.md.
 * @throws the system's error if the file cannot be read
 */
export function readTranscript(path: string): Transcript {
  const requests: string[] = []
  const files = new Set<string>()
  let startedAt: string | null = null
  for (const text of linesOf(path)) {
    const line = parseLine(text)
    if (line === null) continue
    if (typeof line.timestamp === 'string') startedAt ??= line.timestamp
    if ((line.type ?? line.role) === 'user') requests.push(...requestsOf(line))
    else for (const file of changedFiles(line)) files.add(file)
  }
  return { requests, files: [...files], startedAt }
}

interface Line {
  readonly type?: unknown
  readonly role?: unknown
  readonly timestamp?: unknown
  /** Notes of the program itself. */
  readonly isMeta?: unknown
  /** What a subagent was told and did. */
  readonly isSidechain?: unknown
  /** What takes the place of a conversation that became too long. */
  readonly isCompactSummary?: unknown
  readonly message?: { readonly content?: unknown }
}

function parseLine(text: string): Line | null {
  // Results of tools are most of a transcript, and nothing of them is kept.
  if (text.trim() === '' || text.includes('"tool_result"')) return null
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? line : null
  } catch {
    return null
  }
}

interface Block {
  readonly type?: unknown
  readonly text?: unknown
  readonly name?: unknown
  readonly input?: unknown
}

function blocksOf({ message }: Line): readonly Block[] {
  const content = message?.content
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : []
}

/** Parts that clients add to what the user wrote: reminders, selected code, the output of commands. */
const ADDED =
  /<(?<tag>system-reminder|system_reminder|ide_[a-z_]+|local-command-[a-z]+|command-[a-z]+|bash-[a-z]+|attached_files|timestamp)>[^]*?<\/\k<tag>>/gu

function requestsOf(line: Line): string[] {
  if (line.isMeta === true || line.isSidechain === true || line.isCompactSummary === true) return []
  return blocksOf(line).flatMap(({ type, text }) => {
    if (type !== 'text' || typeof text !== 'string') return []
    const written = /<user_query>(?<query>[^]*?)<\/user_query>/u.exec(text)?.groups?.['query'] ?? text
    const said = written.replaceAll(ADDED, '').trim()
    return said === '' || said.startsWith('[Request interrupted') ? [] : [said]
  })
}

/** Tools that change the file that their input names. */
const CHANGING =
  /^(?:multi_?edit|edit(?:_file)?|write|notebook_?edit|str_?replace|search_?replace|delete(?:_file)?)$/iu

function changedFiles(line: Line): string[] {
  return blocksOf(line).flatMap(({ type, name, input }) => {
    if (type !== 'tool_use' || typeof name !== 'string' || !CHANGING.test(name)) return []
    const named = (input ?? {}) as Readonly<Record<string, unknown>>
    const path = named['file_path'] ?? named['notebook_path'] ?? named['path'] ?? named['target_file']
    return typeof path === 'string' && path !== '' ? [path] : []
  })
}

/** The lines of a file; of a long one those of its beginning and its end. */
function linesOf(path: string): string[] {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size <= HEAD + TAIL) return read(file, 0, size).split('\n')
    const head = read(file, 0, HEAD).split('\n')
    const tail = read(file, size - TAIL, TAIL).split('\n')
    // The lines at the cut are parts of lines.
    return [...head.slice(0, -1), ...tail.slice(1)]
  } finally {
    closeSync(file)
  }
}

function read(file: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, from + done)
    if (count === 0) break
    done += count
  }
  return new StringDecoder('utf8').write(bytes.subarray(0, done))
}

/** The programs whose hooks are understood. */
const HOOK_CLIENTS = ['claude-code', 'cursor'] as const

export type HookClient = (typeof HOOK_CLIENTS)[number]

/** What a client tells a hook on its standard input, in our words. */
export interface HookInput {
  readonly client: HookClient
  /** The client's own id of the session; null if it said none. */
  readonly sessionId: string | null
  /** The folder that is worked in. */
  readonly folder: string
  /** A file of JSON Lines with what was said; null if there is none. */
  readonly transcript: string | null
  /** Why a session ended, in the client's words. */
  readonly reason: string | null
  /** What the user asks now; null if the hook is about something else. */
  readonly prompt: string | null
}

/**
 * Reads a hook's input. Every field may be missing: clients add and drop some between versions.
 *
 * Claude Code sends `{"session_id", "transcript_path", "cwd", "hook_event_name": "SessionStart", "source"}`, at the end
 * `"SessionEnd"` and `"reason"` (`BaseHookInput`, `SessionStartHookInput` and `SessionEndHookInput` in the types of
 * @anthropic-ai/claude-agent-sdk 0.3.330). Cursor sends `{"conversation_id", "session_id", "hook_event_name": "sessionStart",
 * "cursor_version", "workspace_roots", "transcript_path"}`, the transcript null at the start and no `cwd`; it also sets
 * `CURSOR_PROJECT_DIR` and `CURSOR_TRANSCRIPT_PATH` (https://cursor.com/docs/hooks; payloads recorded with Cursor 2026.07.23).
 * @param fallback the folder that counts if none is named
 * @throws Error if it is not a JSON object
 */
export function parseHookInput(text: string, environment: Environment, fallback: string): HookInput {
  const given: unknown = text.trim() === '' ? {} : JSON.parse(text)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error('the input of the hook is not a JSON object')
  const input = given as Readonly<Record<string, unknown>>
  const [root] = Array.isArray(input['workspace_roots']) ? input['workspace_roots'] : []
  const isCursor =
    nonEmpty(input['cursor_version']) !== null ||
    /^session[SE]/u.test(nonEmpty(input['hook_event_name']) ?? '')
  return {
    client: isCursor ? 'cursor' : 'claude-code',
    sessionId: nonEmpty(input['session_id']) ?? nonEmpty(input['conversation_id']),
    folder:
      nonEmpty(input['cwd']) ??
      nonEmpty(root) ??
      nonEmpty(isCursor && environment['CURSOR_PROJECT_DIR']) ??
      fallback,
    transcript:
      nonEmpty(input['transcript_path']) ?? nonEmpty(isCursor && environment['CURSOR_TRANSCRIPT_PATH']),
    reason: nonEmpty(input['reason']),
    prompt: nonEmpty(input['prompt']),
  }
}

const nonEmpty = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

import type { Environment } from '../settings.ts'

/** The programs whose hooks are understood. */
export const HOOK_CLIENTS = ['claude-code', 'cursor'] as const
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
  }
}

const nonEmpty = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

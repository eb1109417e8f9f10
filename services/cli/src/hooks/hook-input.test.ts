import { expect, test } from 'vitest'
import { parseHookInput } from './read-transcript.ts'

test('reads what Claude Code sends', () => {
  const common = {
    session_id: '5f0c1c1e-52d4-4a5e-9d41-6a6a4a1f7b11',
    transcript_path: '/home/ada/.claude/projects/-work-shop/5f0c1c1e.jsonl',
    cwd: '/work/shop',
  }
  expect(
    parseHookInput(
      JSON.stringify({ ...common, hook_event_name: 'SessionStart', source: 'startup', model: 'opus' }),
      {},
      '/',
    ),
  ).toEqual({
    client: 'claude-code',
    sessionId: common.session_id,
    folder: '/work/shop',
    transcript: common.transcript_path,
    reason: null,
    prompt: null,
  })
  const end = { ...common, hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' }
  expect(parseHookInput(JSON.stringify(end), {}, '/')).toMatchObject({ reason: 'prompt_input_exit' })
})

test('reads what Cursor sends, which names no folder and at first no transcript', () => {
  const sent = {
    conversation_id: 'afafb0bf-9b2e-4e2a-8857-88e522b364e6',
    generation_id: 'afafb0bf-9b2e-4e2a-8857-88e522b364e6',
    model: 'cursor-grok-4.5-high',
    is_background_agent: false,
    session_id: 'afafb0bf-9b2e-4e2a-8857-88e522b364e6',
    hook_event_name: 'sessionStart',
    cursor_version: '2026.07.23-e383d2b',
    workspace_roots: ['/work/shop'],
    user_email: 'ada@example.com',
    transcript_path: null,
  }
  expect(parseHookInput(JSON.stringify(sent), {}, '/')).toEqual({
    client: 'cursor',
    sessionId: sent.session_id,
    folder: '/work/shop',
    transcript: null,
    reason: null,
    prompt: null,
  })
  const end = { session_id: 's', reason: 'user_close', duration_ms: 45_000, hook_event_name: 'sessionEnd' }
  const environment = { CURSOR_PROJECT_DIR: '/work/bees', CURSOR_TRANSCRIPT_PATH: '/t.jsonl' }
  expect(parseHookInput(JSON.stringify(end), environment, '/')).toMatchObject({
    folder: '/work/bees',
    transcript: '/t.jsonl',
    reason: 'user_close',
  })
})

test('does without what is missing, and refuses what is no input', () => {
  expect(parseHookInput('', {}, '/work')).toMatchObject({
    sessionId: null,
    folder: '/work',
    transcript: null,
  })
  expect(parseHookInput('{"cwd": 1, "workspace_roots": "x"}', {}, '/work')).toMatchObject({ folder: '/work' })
  expect(() => parseHookInput('[]', {}, '/')).toThrow('is not a JSON object')
  expect(() => parseHookInput('{', {}, '/')).toThrow('JSON')
})

import { existsSync } from 'node:fs'
import { safeText } from '@daybook/memory/safe-text'
import { detectContext } from '@daybook/runtime/detect-context'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { Command } from 'commander'
import { addExamples, addGlobalOptions, addNotes, invocation, wholeNumber } from '../command.ts'
import { type HookClient, type HookInput, parseHookInput } from '../hooks/read-transcript.ts'
import { note, printRaw } from '../output/print.ts'
import { readText } from '../remember/remember-input.ts'

/** The longest that a request of a hook may take, in milliseconds: Claude Code gives a hook at a session's end 1.5 s in all. */
const TIMEOUT_MS = 1_000
const TOKENS = 1_500

/** Adds the subcommands of `daybook hook`. */
export function configureHook(command: Command): void {
  command.action(() => command.outputHelp())
  command
    .command('session-start')
    .description('tell a session what is known of its repository')
    .option('--context <name>', 'what is known of (default: the name of the repository)')
    .option('--tokens <n>', `the most tokens (default ${TOKENS})`, wholeNumber(100))
    .action((_: object, self: Command) => run(self, start))
  command
    .command('session-end')
    .description('remember what a session was asked and what it changed')
    .option('--context <name>', 'remember it in this context (default: the name of the repository)')
    .action((_: object, self: Command) => run(self, end))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    `echo '{"hook_event_name": "SessionStart", "cwd": "/work/shop"}' | daybook hook session-start`,
  ])
  addNotes(
    command,
    `
For the plugins of Claude Code and Cursor, which call them with JSON on standard input. What they print is for the program, so --json
changes nothing. They never stop a session: if Daybook is away, they say so in one line and end with 0. DAYBOOK_HOOKS=off
switches them off.`,
  )
}

/** Runs a hook. Whatever happens, the session goes on. */
async function run(
  command: Command,
  hook: (input: HookInput, command: Command) => Promise<void>,
): Promise<void> {
  if (process.env['DAYBOOK_HOOKS']?.trim().toLowerCase() === 'off') return
  try {
    const text = process.stdin.isTTY ? '' : await readText(process.stdin)
    const input = parseHookInput(text, process.env, process.cwd())
    // The data folder is looked for from where the session works.
    if (existsSync(input.folder)) process.chdir(input.folder)
    await hook(input, command)
  } catch (error) {
    note(`Daybook: nothing was done: ${safeText(reasonOf(error)).split('\n')[0]}`)
  }
}

const contextOf = ({ folder }: HookInput, command: Command) =>
  detectContext({
    explicit: command.opts<{ readonly context?: string }>().context,
    folder,
    environment: process.env,
  })

/** What each program takes from a hook at the start of a session. */
const GIVE: Readonly<Record<HookClient, (text: string) => unknown>> = {
  'claude-code': (text) => ({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text },
  }),
  cursor: (text) => ({ additional_context: text }),
}

async function start(input: HookInput, command: Command): Promise<void> {
  const { connection } = invocation(command)
  const { tokens = TOKENS } = command.opts<{ readonly tokens?: number }>()
  const [context, { knownOf }] = await Promise.all([
    contextOf(input, command),
    import('../hooks/sessions.ts'),
  ])
  // Of the home folder and the like nothing is known that would belong to this session.
  if (context === null) return
  const text = await knownOf(connection, context, { tokens, timeoutMs: TIMEOUT_MS })
  if (text !== '') printRaw(JSON.stringify(GIVE[input.client](text)))
}

const TITLES: Readonly<Record<HookClient, string>> = { 'claude-code': 'Claude Code', cursor: 'Cursor' }

async function end(input: HookInput, command: Command): Promise<void> {
  const { transcript, client, folder } = input
  if (transcript === null) return
  const { connection } = invocation(command)
  const [{ readTranscript }, { recordOf }, { rememberSession }, context] = await Promise.all([
    import('../hooks/read-transcript.ts'),
    import('../hooks/sessions.ts'),
    import('../hooks/sessions.ts'),
    contextOf(input, command),
  ])
  const said = readTranscript(transcript)
  const record = recordOf(said, { title: TITLES[client], folder })
  if (record === null) return
  await rememberSession(connection, { input, record, context, startedAt: said.startedAt }, TIMEOUT_MS)
}

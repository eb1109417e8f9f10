import { appendFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolderFrom } from '@daybook/local-daemon/connection'
import { safeText } from '@daybook/memory/safe-text'
import { detectContext } from '@daybook/runtime/detect-context'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { Command } from 'commander'
import {
  addExamples,
  addGlobalOptions,
  addNotes,
  globalOptions,
  invocation,
  wholeNumber,
} from '../command.ts'
import { type HookClient, type HookInput, parseHookInput } from '../hooks/read-transcript.ts'
import { printRaw } from '../output/print.ts'
import { readText } from '../remember/remember-input.ts'

/** The longest that a request of a hook may take, in milliseconds: Claude Code gives a hook at a session's end 1.5 s in all. */
const TIMEOUT_MS = 1_000
/** The longest that a daemon may take to say that it is there, and to answer while somebody waits after each prompt. */
const ALIVE_MS = 200
const TOKENS = 1_500
/** What a prompt is told, in tokens. */
const PROMPT_TOKENS = 500
/** The most bytes of the log. A longer one begins again. */
const LOG_BYTES = 64 * 1024

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
    .command('prompt')
    .description('tell a session what is known about what it is asked')
    .option('--context <name>', 'what is known of (default: the name of the repository)')
    .action((_: object, self: Command) => run(self, prompt))
  command
    .command('session-so-far')
    .description('remember what a session was asked and changed until now, before it forgets')
    .option('--context <name>', 'remember it in this context (default: the name of the repository)')
    .action((_: object, self: Command) => run(self, soFar))
  command
    .command('session-end')
    .description('remember what a session was asked and what it changed')
    .option('--context <name>', 'remember it in this context (default: the name of the repository)')
    .action((_: object, self: Command) => run(self, end))
  for (const one of command.commands)
    addGlobalOptions(
      one.option(
        '--within <ms>',
        `the longest to wait for the daemon (default ${ALIVE_MS}); above ${TIMEOUT_MS}, also for each of its answers`,
        wholeNumber(1),
      ),
    )
  addExamples(command, [
    `echo '{"hook_event_name": "SessionStart", "cwd": "/work/shop"}' | daybook hook session-start`,
  ])
  addNotes(
    command,
    `
For the plugins of Claude Code and Cursor, which call them with JSON on standard input. What they print is for the program, so --json
changes nothing. They never stop a session: if Daybook does not say in time that it is there, or anything else fails, hooks.log
in the data folder gets a line, and they end with 0. What stands in <private>…</private>, and what looks like a secret, is not kept.
DAYBOOK_HOOKS=off switches them off.`,
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
    const { exchange } = await import('../client/request.ts')
    await exchange(`${invocation(command).connection.url}/health`, { timeoutMs: withinMs(command) })
    await hook(input, command)
  } catch (error) {
    logFailure(command, error)
  }
}

/** Nobody reads what a hook prints, and a line in every session would be in the agent's way. */
function logFailure(command: Command, error: unknown): void {
  try {
    const dataDir = dataFolderFrom(globalOptions(command), process.env)
    const path = join(dataDir, 'hooks.log')
    const line = `${new Date().toISOString()} ${command.name()}: ${safeText(reasonOf(error)).split('\n')[0]}\n`
    if (!existsSync(dataDir)) return
    if (existsSync(path) && statSync(path).size > LOG_BYTES) writeFileSync(path, line)
    else appendFileSync(path, line, { mode: 0o600 })
  } catch {
    // There is nowhere left to say it.
  }
}

const withinMs = (command: Command): number => command.opts<{ readonly within?: number }>().within ?? ALIVE_MS

/** The longest that a round of requests may take, once the daemon is known to be there. */
const roundMs = (command: Command): number => Math.max(TIMEOUT_MS, withinMs(command))

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
  const text = await knownOf(connection, context, { tokens, timeoutMs: roundMs(command) })
  if (text !== '') printRaw(JSON.stringify(GIVE[input.client](text)))
}

/** Cursor has no such hook: what it calls before a prompt cannot add to it. */
async function prompt(input: HookInput, command: Command): Promise<void> {
  if (input.prompt === null || input.client !== 'claude-code') return
  const { connection } = invocation(command)
  const [context, { knownAbout }] = await Promise.all([
    contextOf(input, command),
    import('../hooks/sessions.ts'),
  ])
  if (context === null) return
  const text = await knownAbout(connection, context, input.prompt, {
    tokens: PROMPT_TOKENS,
    timeoutMs: withinMs(command),
  })
  if (text === '') return
  printRaw(
    JSON.stringify({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text } }),
  )
}

const TITLES: Readonly<Record<HookClient, string>> = { 'claude-code': 'Claude Code', cursor: 'Cursor' }

const soFar = (input: HookInput, command: Command): Promise<void> => keep(input, command, false)
const end = (input: HookInput, command: Command): Promise<void> => keep(input, command, true)

async function keep(input: HookInput, command: Command, isOver: boolean): Promise<void> {
  const { transcript, client, folder } = input
  if (transcript === null) return
  const { connection } = invocation(command)
  const [{ readTranscript }, { recordOf, rememberSession }, context] = await Promise.all([
    import('../hooks/read-transcript.ts'),
    import('../hooks/sessions.ts'),
    contextOf(input, command),
  ])
  const said = readTranscript(transcript)
  const record = recordOf(said, { title: TITLES[client], folder })
  if (record === null) return
  await rememberSession(
    connection,
    { input, record, context, startedAt: said.startedAt, isOver },
    roundMs(command),
  )
}

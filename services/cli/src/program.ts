import { VERSION } from '@daybook/runtime/version'
import { Command } from 'commander'
import { addExamples, addGlobalOptions, addNotes, formatHelpItem } from './command.ts'
import { COMMAND_GROUPS } from './commands.ts'

/** Every command, whatever its group. */
export const COMMANDS = COMMAND_GROUPS.flatMap(({ commands }) => commands)

const EXIT_CODES = `
Exit codes:
  0  done
  1  refused by Daybook, not found, or a part failed
  2  the command line is wrong
  3  the daemon cannot be reached, or cannot serve now
  4  no API key, not a valid one, or one that may not do this

Completion of commands and options: source <(daybook completion bash); help completion says how to keep it, also for zsh, fish and PowerShell.

The API key is DAYBOOK_API_KEY or in the file DAYBOOK_API_KEY_FILE, else the file api-key in the data folder; --data-dir goes before DAYBOOK_API_KEY.
The data folder is .daybook here, in a folder above, or in your home, else your system's own place for data; its daemon's address is read from there.`

/** Loads the arguments and options of all commands, which are otherwise loaded when they are called. It takes some 0.2 s. */
export async function loadCommands(program: Command): Promise<void> {
  for (const { name, load } of COMMANDS) {
    const command = program.commands.find((one) => one.name() === name)
    if (command !== undefined) (await load())(command)
  }
}

/** `daybook` with all its commands, each of which is loaded when it is called. */
export function createProgram(): Command {
  const program = new Command('daybook')
    .description('Daybook, the event-sourced memory for AI agents, from the command line.')
    .usage('<command> [options]')
    .version(VERSION, '--version', 'print the version of this CLI')
    .helpOption('-h, --help', 'show this help, or a command’s')
    // An option belongs to the command before it: `restore --version 2` is not `--version`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /u, 'daybook: ')) })
    .showHelpAfterError('  --help shows what there is.')
    .configureHelp({
      showGlobalOptions: false,
      // With less room than this, a description stands below its term.
      minWidthToWrap: 30,
      formatItem: formatHelpItem,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.trim(),
    })
  for (const { heading, commands } of COMMAND_GROUPS)
    for (const { name, parameters, description } of commands)
      program
        .command(name)
        .helpGroup(heading)
        .usage(parameters ?? '')
        .description(description)
  program.helpCommand('help [command]', 'show the help of a command')
  program.hook('preSubcommand', async (_, command) => {
    const entry = COMMANDS.find(({ name }) => name === command.name())
    if (entry === undefined) return
    // The list of commands shows arguments only; a command's own help also shows where options go.
    command.usage(`${entry.parameters ?? ''} [options]`.trim())
    ;(await entry.load())(command)
    addGlobalOptions(command)
  })
  addGlobalOptions(program)
  addExamples(program, [
    'daybook start --detach',
    'daybook remember insight --key jwt-validation "Validate a JWT’s expiry before trusting its claims"',
    'daybook search "token security"',
    'daybook import memories.jsonl --wait',
    'daybook help remember',
  ])
  addNotes(program, EXIT_CODES)
  return program
}

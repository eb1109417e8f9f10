import { PRIVATE_UMASK } from '@daybook/runtime/private-folder'
import { VERSION } from '@daybook/runtime/version'
import { Command, CommanderError } from 'commander'
import { addExamples, addGlobalOptions, addNotes, type CommandEntry, formatHelpItem } from './command.ts'
import { EXIT } from './exit-codes.ts'
import { renderError } from './output/error.ts'

/** Every command, in the order of the help. A new one is a file in `commands/` and an entry here. */
const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'status',
    description: 'say whether the daemon serves, and how far its indexes are',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'remember',
    parameters: '<kind> [text…]',
    description: 'remember something',
    load: () => import('./commands/remember.ts'),
  },
  {
    name: 'search',
    parameters: '<query…>',
    description: 'find memories by words and by meaning',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'get',
    parameters: '<id>',
    description: 'show one memory whole, or its history',
    load: () => import('./commands/get.ts'),
  },
  {
    name: 'forget',
    parameters: '<id>',
    description: 'take a memory out of the indexes; restore brings it back',
    load: () => import('./commands/forget.ts'),
  },
  {
    name: 'restore',
    parameters: '<id>',
    description: 'undo: bring back a forgotten memory, or an earlier version',
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'import',
    parameters: '<file>',
    description: 'remember every line of a JSON Lines file, or import an exported journal; resumable',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'export',
    description: 'write the journal, all projects or one, as JSON Lines: a backup, or a move',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'tail',
    description: 'follow what is written, live',
    load: () => import('./commands/tail.ts'),
  },
  {
    name: 'doctor',
    description: 'look at every part and setting, and say what to do',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'reindex',
    parameters: '[projection]',
    description: 'build a new search index beside the live one; roll back, clean up',
    load: () => import('./commands/reindex.ts'),
  },
  {
    name: 'verify',
    parameters: '[projection]',
    description: 'compare the indexes with the journal, and repair them',
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'replay',
    description: 'publish a part of the journal again',
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'backfill',
    parameters: '[projection]',
    description: 'make the vectors that memories lack',
    load: () => import('./commands/backfill.ts'),
  },
  {
    name: 'parked',
    parameters: '[list|show|retry|drop]',
    description: 'list, retry or drop events that could not be applied',
    load: () => import('./commands/parked.ts'),
  },
  {
    name: 'operations',
    parameters: '[list|show|watch|cancel]',
    description: 'list, watch or cancel operations',
    load: () => import('./commands/operations.ts'),
  },
]

const EXIT_CODES = `
Exit codes:
  0  done
  1  refused by Daybook, not found, or a part failed
  2  the command line is wrong
  3  the daemon cannot be reached, or cannot serve now
  4  no API key, not a valid one, or one that may not do this

The API key is DAYBOOK_API_KEY, else the file api-key in the data folder; --data-dir goes before DAYBOOK_API_KEY.
The data folder is .daybook here, in a folder above, or in your home; its daemon's address is read from there.`

function createProgram(): Command {
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
  for (const { name, parameters, description } of COMMANDS)
    program
      .command(name)
      .usage(parameters ?? '')
      .description(description)
  program.helpCommand('help [command]', 'show the help of a command')
  program.hook('preSubcommand', async (_, command) => {
    const entry = COMMANDS.find(({ name }) => name === command.name())
    if (entry === undefined) return
    // The list of commands shows arguments only; a command's own help also shows where options go.
    command.usage(`${entry.parameters ?? ''} [options]`.trim())
    ;(await entry.load()).configure(command)
    addGlobalOptions(command)
  })
  addGlobalOptions(program)
  addExamples(program, [
    'daybook remember insight --key jwt-validation "Validate a JWT’s expiry before trusting its claims"',
    'daybook search "token security"',
    'daybook import memories.jsonl --wait',
    'daybook help remember',
  ])
  addNotes(program, EXIT_CODES)
  return program
}

/**
 * Turns `help remember note` into `remember note --help`: commander's own help misses commands that are
 * loaded late.
 */
function withHelpLast(given: readonly string[]): readonly string[] {
  const [first, ...names] = given
  return first === 'help' && names.length > 0 ? [...names, '--help'] : given
}

/**
 * Turns `remember "We use pnpm"` into `remember note "We use pnpm"`. A single word may be a misspelt kind, so
 * commander handles it.
 */
function withKind(given: readonly string[]): readonly string[] {
  const [first, second = ''] = given
  return first === 'remember' && /\s/u.test(second.trim()) ? ['remember', 'note', ...given.slice(1)] : given
}

/** In `daybook … | head`, `head` closes the pipe when it has enough. That is no failure. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed)
  })
}

async function main(given: readonly string[]): Promise<void> {
  endQuietlyWithReader()
  try {
    await createProgram().parseAsync(withKind(withHelpLast(given)), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed its message or the help already.
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
      return
    }
    if (process.env['DAYBOOK_DEBUG']) console.error(error)
    const { text, exitCode } = renderError(error, given.includes('--json'))
    console.error(text)
    process.exitCode = exitCode
  }
}

// Files that a command writes, such as an export, are for the user alone.
process.umask(PRIVATE_UMASK)
await main(process.argv.slice(2))

import { PRIVATE_UMASK } from '@daybook/runtime/private-folder'
import { CommanderError } from 'commander'
import { EXIT } from './exit-codes.ts'
import { renderError } from './output/error.ts'
import { COMMANDS, createProgram } from './program.ts'

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
    const program = createProgram()
    if (given[0] === 'complete') {
      const { addCompletion } = await import('./completion.ts')
      await addCompletion(program, COMMANDS)
    }
    await program.parseAsync(withKind(withHelpLast(given)), { from: 'user' })
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

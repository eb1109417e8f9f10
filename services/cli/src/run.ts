import { CommanderError } from 'commander'
import { EXIT } from './command-line.ts'
import { renderError } from './output/error.ts'
import { noteRaw } from './output/print.ts'
import { createProgram, loadCommands } from './program.ts'

/**
 * Runs `daybook` with the given arguments to its end. An error is printed, never thrown, and `process.exitCode` set.
 */
export async function runDaybook(given: readonly string[]): Promise<void> {
  try {
    const program = createProgram()
    if (given[0] === 'complete') {
      const { addCompletion } = await import('./commands/completion.ts')
      await loadCommands(program)
      addCompletion(program)
    }
    await program.parseAsync(withHelpLast(given), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed its message or the help already.
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
      return
    }
    if (process.env['DAYBOOK_DEBUG']) console.error(error)
    const { text, exitCode } = renderError(error, given.includes('--json'))
    noteRaw(text)
    process.exitCode = exitCode
  }
}

/**
 * Turns `help remember note` into `remember note --help`: commander's own help misses commands that are
 * loaded late.
 */
function withHelpLast(given: readonly string[]): readonly string[] {
  const [first, ...names] = given
  return first === 'help' && names.length > 0 ? [...names, '--help'] : given
}

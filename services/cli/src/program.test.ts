import { type Command, CommanderError } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COMMANDS, createProgram } from './program.ts'

const WIDTH = 60
const before = Object.getOwnPropertyDescriptors(process.stdout)

/** As in a terminal of 60 columns. */
beforeEach(() => {
  Object.defineProperties(process.stdout, {
    isTTY: { value: true, configurable: true },
    columns: { value: WIDTH, configurable: true },
  })
})
afterEach(() => {
  for (const name of ['isTTY', 'columns'] as const) {
    Reflect.deleteProperty(process.stdout, name)
    const known = before[name]
    if (known !== undefined) Object.defineProperty(process.stdout, name, known)
  }
})

/** What `daybook <words> --help` prints, and the commands below that one. */
async function helpOf(words: readonly string[]): Promise<{ text: string; below: readonly Command[] }> {
  const program = createProgram()
  let text = ''
  const output = { writeOut: (part: string) => (text += part), getOutHelpWidth: () => WIDTH }
  program.configureOutput(output)
  for (const command of program.commands) command.configureOutput(output)
  await program.parseAsync([...words, '--help'], { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
  })
  let at: Command | undefined = program
  for (const word of words) at = at?.commands.find((command) => command.name() === word)
  return { text, below: at?.commands ?? [] }
}

/** A word that is longer stays whole, so that it can be copied. */
const tooLong = (text: string) =>
  text.split('\n').filter((line) => line.length > WIDTH && line.trim().includes(' '))

test.each(COMMANDS.map(({ name }) => name))(
  'the help of %s and of each command below it fits a narrow terminal, and names --json',
  async (name) => {
    const { text, below } = await helpOf([name])
    const all = [text]
    for (const command of below) all.push((await helpOf([name, command.name()])).text)
    for (const help of all) {
      expect(help).toContain('Usage: daybook')
      expect(help).toContain('--json')
      expect(tooLong(help)).toEqual([])
    }
  },
)

test('the help of the whole fits a narrow terminal', async () => {
  expect(tooLong((await helpOf([])).text)).toEqual([])
})

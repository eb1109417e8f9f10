import type { Command } from 'commander'
import { addExamples, addNotes, globalOptions } from '../command.ts'
import { renderChecks } from '../doctor/render-checks.ts'
import { runDoctor } from '../doctor/run-doctor.ts'
import { EXIT } from '../exit-codes.ts'
import { painterFor } from '../output/paint.ts'
import { print, printJson } from '../output/print.ts'

/** Adds the arguments, options and action of `daybook doctor`. */
export function configure(command: Command): void {
  command.action((_, self: Command) => doctor(self))
  addExamples(command, ['daybook doctor', 'daybook doctor --json'])
  addNotes(
    command,
    `
Checks this terminal, the daemon and its parts: database, NATS, relay, Typesense, embedder, projections, parked
events, vectors, followed projects, operations, generations and settings. It changes nothing. It takes some seconds if something does not
move. The exit code is 0 if all is well or there are only warnings, and 1 if a check failed.`,
  )
}

async function doctor(command: Command): Promise<void> {
  const options = globalOptions(command)
  const checks = await runDoctor(options, process.env)
  const failed = checks.some(({ status }) => status === 'FAILED')
  if (failed) process.exitCode = EXIT.failed
  if (options.json === true) printJson({ ok: !failed, checks })
  else print(renderChecks(checks, painterFor(process.stdout)))
}

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { testEnvironment } from '../support/child-process.ts'

const BINARY = fileURLToPath(new URL('../../../services/cli/bin/daybook.mjs', import.meta.url))

/** What a `daybook` command ended with. */
export interface CliResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running `daybook`. */
export interface CliProcess {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>
  /** Its standard output so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<CliResult>
}

/**
 * Starts the real binary. Of this process's environment it gets only what a shell has.
 * @param detached whether it leads a process group of its own, which can be signalled. Default false
 */
export function startCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { detached = false }: { detached?: boolean } = {},
): CliProcess {
  const child = spawn(process.execPath, [BINARY, ...args], {
    // The name of this repository's folder must not decide what a test sees.
    env: { ...testEnvironment(), DAYBOOK_CONTEXT_DETECTION: 'off', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached,
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // A command that has ended no longer reads its input.
  child.stdin.on('error', () => undefined)
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: new Promise((resolve) => {
      child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
    }),
  }
}

/** Runs `daybook` to its end, with `input` as its standard input. */
export function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<CliResult> {
  const cli = startCli(args, environment)
  cli.process.stdin.end(input)
  return cli.ended
}

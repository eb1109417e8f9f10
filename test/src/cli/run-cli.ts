import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runDaybook } from '@daybook/cli/run'
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
    env: environmentOf(environment),
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

/** Of this process, so one command has it at a time. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs `daybook` to its end, with `input` as its standard input: in this process, since one of its own takes .3 s of CPU time. Whatever
 * needs signals or two commands at once uses `startCli`. Lines of progress are left out.
 * @param terminal what both outputs seem to be. Default none: they are pipes
 */
export function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
  terminal?: { readonly columns: number },
): Promise<CliResult> {
  const result = last.then(() => runHere(args, environmentOf(environment), input, terminal))
  last = result.catch(() => undefined)
  return result
}

async function runHere(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  input: string,
  terminal: { readonly columns: number } | undefined,
): Promise<CliResult> {
  const [before, exitCode, folder, argv] = [{ ...process.env }, process.exitCode, process.cwd(), process.argv]
  const streams = {
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: keeping(terminal),
    stderr: keeping(terminal),
  }
  const real = Object.entries(Object.getOwnPropertyDescriptors(process)).filter(([name]) => name in streams)
  const listeners = ENDS.map((signal) => process.listeners(signal))
  try {
    replaceEnvironment(environment)
    for (const [name, value] of Object.entries(streams))
      Object.defineProperty(process, name, { value, configurable: true })
    process.exitCode = undefined
    process.argv = [process.execPath, BINARY, ...args]
    await runDaybook(args)
    return {
      exitCode: Number(process.exitCode ?? 0),
      stdout: streams.stdout.text(),
      stderr: streams.stderr.text().replaceAll(PROGRESS, ''),
    }
  } finally {
    for (const [name, descriptor] of real) Object.defineProperty(process, name, descriptor)
    process.exitCode = exitCode
    process.argv = argv
    process.chdir(folder)
    replaceEnvironment(before)
    for (const [at, signal] of ENDS.entries())
      for (const listener of process.listeners(signal))
        if (!listeners[at]?.includes(listener)) process.off(signal, listener)
  }
}

/** A line that a command writes only if it takes longer than a second. Nothing depends on the machine's speed. */
const PROGRESS = /^.* …\n/gmu

const ENDS = ['SIGINT', 'SIGTERM'] as const

/** In place: `os.homedir()` and children read what the process really has. */
function replaceEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env))
    if (environment[name] === undefined) Reflect.deleteProperty(process.env, name)
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value
}

/** A standard output that keeps what is written to it. What moves a terminal's cursor begins a line there. */
function keeping(
  terminal: { readonly columns: number } | undefined,
): Writable & { readonly text: () => string } {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(part: Buffer, _, done) {
      parts.push(part)
      done()
    },
  })
  return Object.assign(stream, {
    text: () => Buffer.concat(parts).toString('utf8'),
    ...(terminal !== undefined && {
      isTTY: true,
      ...terminal,
      cursorTo: () => stream.write('\r'),
      moveCursor: () => true,
      clearLine: () => true,
    }),
  })
}

/** The name of this repository's folder must not decide what a test sees. */
const environmentOf = (environment: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...testEnvironment(),
  DAYBOOK_CONTEXT_DETECTION: 'off',
  ...environment,
})

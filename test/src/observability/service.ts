import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { testEnvironment } from '../support/child-process.ts'

/** A service in its own process. */
export interface RunningService {
  /** Where it listens. */
  readonly url: string
  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
}

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Starts `services/<name>` from source and waits for the address that it prints.
 * @throws if it ends before
 */
export async function startService(
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunningService> {
  const child = spawn(process.execPath, ['scripts/start.mjs', name], {
    cwd: REPOSITORY,
    env: { ...testEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      process.off('exit', kill)
      resolve(code)
    }),
  )
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const hear = (part: Buffer) => {
      if (printed.length < 10_000) printed += part.toString()
      const address = /at (http:\/\/127\.0\.0\.1:\d+)/u.exec(printed)?.[1]
      if (address !== undefined) resolve(address)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void ended.then(() => reject(new Error(`${name} ended before it was ready:\n${printed}`)))
  })
  return {
    url,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

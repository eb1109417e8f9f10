import { spawn } from 'node:child_process'
import { safeText } from '@daybook/memory/safe-text'
import { ServiceError } from './service-error.ts'
import type { ServicePlace } from './service-manager.ts'

/** How a command of the system ended. */
export interface ToolResult {
  /** Null if there is no such command, or a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  /** What it complained about, else why it could not be run. */
  readonly stderr: string
}

/** Runs a command of the system with the environment of the place, and waits for its end. Never throws. */
export function tryTool(
  place: ServicePlace,
  command: string,
  ...args: readonly string[]
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: place.environment as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.once('error', ({ message }) => resolve({ exitCode: null, stdout: '', stderr: message }))
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
}

/** The same for a command that must succeed. @throws ServiceError SERVICE_MANAGER with what it said */
export async function runTool(
  place: ServicePlace,
  command: string,
  ...args: readonly string[]
): Promise<string> {
  const { exitCode, stdout, stderr } = await tryTool(place, command, ...args)
  if (exitCode === 0) return stdout
  const said = safeText(stderr || stdout).trim() || `it ended with ${exitCode ?? 'a signal'}`
  throw new ServiceError('SERVICE_MANAGER', `${[command, ...args].join(' ')} failed: ${said}`, [
    'Run that command yourself to see more; daybook service status says how things are',
    'Without a service:  daybook start --detach',
  ])
}

import type { ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { VERSION } from '@daybook/runtime/version'
import type { Command } from 'commander'
import { readProjections } from '../client/operations.ts'
import { readHealth, readReadiness, request } from '../client/request.ts'
import { addExamples, addNotes, globalOptions } from '../command.ts'
import { CliError, EXIT, RefusedError } from '../command-line.ts'
import { type Painter, painterFor, print, printJson } from '../output/print.ts'
import { outputColumns, wrapBehind } from '../output/table.ts'
import { connectionFrom, type Environment, type GlobalOptions, placeFrom } from '../settings.ts'

/** Adds the arguments, options and action of `daybook doctor`. */
export function configureDoctor(command: Command): void {
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

/** The query for the daemon's own checks. */
const CHECKS = queries.checks('name status message advice')

/** The result of one check, made by the daemon or by the CLI itself. */
type Check = Readonly<ResultOf<typeof CHECKS>['checks'][number]>

/** One line per check, with advice below those that need it, and a summary at the end. */
export function renderChecks(
  checks: readonly Check[],
  { bold, dim }: Painter,
  columns = outputColumns(),
): string {
  const width = Math.max(...checks.map(({ name }) => safeLine(name).length))
  const lines = checks.flatMap(({ name, status, message, advice }) => {
    const state = status.padEnd(7)
    const before = `${status === 'OK' ? state : bold(state)}  ${safeLine(name).padEnd(width)}  `
    return [
      wrapBehind(before, safeLine(message), columns),
      ...(advice === null
        ? []
        : [wrapBehind(' '.repeat(9 + width + 2), dim(`→ ${safeLine(advice)}`), columns)]),
    ]
  })
  return [...lines, '', sum(checks)].join('\n')
}

function sum(checks: readonly Check[]): string {
  const count = (status: Check['status']) => checks.filter((one) => one.status === status).length
  const [warnings, failures] = [count('WARNING'), count('FAILED')]
  if (warnings + failures === 0) return `All ${checks.length} checks are well.`
  return `${checks.length} checks: ${count('OK')} well, ${warnings} with a warning, ${failures} failed.`
}

/** The oldest Node that Daybook runs on. */
const OLDEST_NODE = [20, 19] as const

/** Runs all checks, from this terminal to the daemon’s parts. Each check needs those before it. */
async function runDoctor(options: GlobalOptions, environment: Environment): Promise<readonly Check[]> {
  const checks = [checkNode(process.versions.node)]
  for (const look of [checkUrl, checkReady, checkKey]) {
    const found = await look(options, environment)
    checks.push(...found)
    if (found.some(({ status }) => status === 'FAILED')) return checks
  }
  return [...checks, ...(await checkServer(options, environment))]
}

/** Checks that this Node is new enough. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const name = 'node'
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
    ? { name, status: 'OK', message: `Node.js ${version}`, advice: null }
    : {
        name,
        status: 'FAILED',
        message: `Node.js ${version} is too old`,
        advice: `Install Node.js ${OLDEST_NODE.join('.')} or newer`,
      }
}

type Look = (options: GlobalOptions, environment: Environment) => Promise<readonly Check[]>

const checkUrl: Look = async (options, environment) => {
  return orFailed('url', async () => {
    const place = placeFrom(options, environment)
    const { version } = await readHealth(place)
    return [
      { name: 'url', status: 'OK', message: `Daybook answers at ${place.url}`, advice: null },
      checkVersions(VERSION, version),
    ]
  })
}

/** Checks that CLI and daemon have the same version. @param daemon null if it does not tell its version */
export function checkVersions(cli: string, daemon: string | null): Check {
  const name = 'version'
  return cli === daemon
    ? { name, status: 'OK', message: `CLI and daemon are ${cli}`, advice: null }
    : {
        name,
        status: 'WARNING',
        message: `The CLI is ${cli}, the daemon ${daemon ?? 'does not say what it is'}`,
        advice: 'Use the CLI that came with the daemon, or upgrade the older one',
      }
}

const checkReady: Look = (options, environment) =>
  orFailed('ready', async () => {
    const { ready, problems, degraded } = await readReadiness(placeFrom(options, environment))
    if (ready && degraded.length > 0)
      return [
        {
          name: 'ready',
          status: 'WARNING',
          message: `It can serve requests, but something is missing: ${degraded.join('; ')}`,
          advice: null,
        },
      ]
    return [
      ready
        ? { name: 'ready', status: 'OK', message: 'It can serve requests', advice: null }
        : {
            name: 'ready',
            status: 'FAILED',
            message: `It cannot serve requests: ${problems.join('; ')}`,
            advice: 'It may still be starting: try again in some seconds, then look at its log',
          },
    ]
  })

const checkKey: Look = (options, environment) =>
  orFailed('key', async () => {
    const connection = connectionFrom(options, environment)
    await readProjections(connection)
    return [
      { name: 'key', status: 'OK', message: `The key from ${connection.keySource} is valid`, advice: null },
    ]
  })

const checkServer: Look = (options, environment) =>
  orFailed('admin', async () => {
    return (await request(connectionFrom(options, environment), CHECKS, {})).checks
  })

/** Turns an expected failure into a failed check. */
async function orFailed(name: string, look: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const forbidden = error instanceof RefusedError && error.code === 'FORBIDDEN'
    const message = forbidden
      ? 'The key may use its project only, so that the daemon’s parts cannot be looked at'
      : error.message
    return [{ name, status: 'FAILED', message, advice: error.hints.join('; ') || null }]
  }
}

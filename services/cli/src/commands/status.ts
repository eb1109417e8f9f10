import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { readHealth, readReadiness } from '../client/health.ts'
import { type Projection, readProjections } from '../client/projections.ts'
import { addExamples, globalOptions } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { print, printJson } from '../output/print.ts'
import { safeLine } from '../output/safe-text.ts'
import { table } from '../output/table.ts'
import { connectionFrom, placeFrom } from '../settings.ts'

export function configure(command: Command): void {
  command.action((_, self: Command) => status(self))
  addExamples(command, ['daybook status', 'daybook status --json'])
  command.addHelpText(
    'after',
    '\nEnds with 0 where the daemon is ready, even while an index catches up; 1 where it answers but is not ready; 3 where\nit does not answer.',
  )
}

async function status(command: Command): Promise<void> {
  const options = globalOptions(command)
  const json = options.json === true
  const place = placeFrom(options, process.env)
  try {
    const { version } = await readHealth(place)
    const { ready, problems } = await readReadiness(place)
    const projections = ready ? await readProjections(connectionFrom(options, process.env)) : []
    if (!ready) process.exitCode = EXIT.failed
    if (json) return printJson({ reachable: true, url: place.url, version, ready, problems, projections })
    print(renderStatus(place.url, version, { ready, problems }, projections))
  } catch (error) {
    if (json && error instanceof CliError && error.exitCode === EXIT.unreachable)
      printJson({
        reachable: false,
        url: place.url,
        version: null,
        ready: false,
        problems: [error.message],
        projections: [],
      })
    throw error
  }
}

function renderStatus(
  url: string,
  version: string | null,
  { ready, problems }: { ready: boolean; problems: readonly string[] },
  projections: readonly Projection[],
): string {
  const named = version === null ? 'Daybook' : `Daybook ${safeLine(version)}`
  if (!ready)
    return [
      `${named} answers at ${url}, but is not ready:`,
      ...problems.map((problem) => `  ${safeLine(problem)}`),
      '',
      'It may still be starting: try again in some seconds. The daemon’s own output says more.',
    ].join('\n')
  const rows = projections.map((one) => [
    safeLine(one.name),
    one.position,
    one.head,
    one.lag,
    one.pendingEmbeddings,
    one.parked,
    one.generation,
    safeLine(one.status),
  ])
  const header = ['projection', 'position', 'head', 'lag', 'pending', 'parked', 'generation', 'status']
  return [`${named} is ready at ${url}`, '', table(header, rows), '', ...nextSteps(projections)].join('\n')
}

/** What the numbers mean for whoever looks at them. */
export function nextSteps(projections: readonly Projection[]): string[] {
  const steps = projections.flatMap(({ name, lag, pendingEmbeddings, parked, status: state }) => [
    ...(state === 'live' ? [] : [`${safeLine(name)} is ${safeLine(state)}: the daemon’s log says why.`]),
    ...(lag > 0
      ? [`${safeLine(name)} still has to apply ${lag} of the journal’s events; searches find them then.`]
      : []),
    ...(pendingEmbeddings > 0
      ? [
          `Memories without vectors yet: ${pendingEmbeddings}. They are found by words; by meaning soon, unless DAYBOOK_EMBEDDER is none.`,
        ]
      : []),
    ...(parked > 0
      ? [
          `Events that could not be applied: ${parked}. The daemon’s log says why; the journal still has them.`,
        ]
      : []),
  ])
  if (projections.every(({ head }) => head === 0))
    return [...steps, 'Nothing is remembered yet. Try:  daybook remember note "my first memory"']
  return steps.length > 0 ? steps : ['Everything that was written can be searched.']
}

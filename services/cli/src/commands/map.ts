import * as mutations from '@daybook/api/mutations'
import { type AnsweredMap, MEMORY_MAP } from '@daybook/client/documents/memory-map'
import { NO_CONTEXT, toMapPoints } from '@daybook/client/map-points'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import type { Command } from 'commander'
import { OPERATION, type Operation } from '../client/operations.ts'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { followOrNote, OPERATION_HELP, watchOperations } from '../operations/run-operations.ts'
import { print, printJson } from '../output/print.ts'
import type { Connection } from '../settings.ts'

/** Adds the options and action of `daybook map`. */
export function configureMap(command: Command): void {
  command
    .option('--show', 'only show the map that there is')
    .option('--detach', 'do not wait for the end')
    .action((options: MapOptions, self: Command) => makeMap(options, self))
  addExamples(command, ['daybook map', 'daybook map --show --json', 'daybook map --detach'])
  addNotes(
    command,
    `
Places the memories of a project in a plane by what they mean (UMAP), the newest 20,000, in place of the last map. The
console shows it. The same memories come to the same places. With --json it prints the points: x and y from -1 to 1.
${OPERATION_HELP}`,
  )
}

interface MapOptions {
  readonly show?: boolean
  readonly detach?: boolean
}

async function makeMap({ show = false, detach = false }: MapOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  if (!show) {
    const operation = await startMap(connection)
    if (detach || !json) await watchOperations([operation], { connection, json, detach })
    else await followOrNote(operation, connection)
    if (detach || process.exitCode !== undefined) return
  }
  const found = await readMap(connection)
  if (json) printJson(mapAsJson(found))
  else print(renderMap(found))
}

/** Reads the map. @throws RefusedError, UnreachableError, UnauthorisedError */
const readMap = async (connection: Connection): Promise<AnsweredMap> =>
  (await request(connection, MEMORY_MAP, {})).memoryMap

/** A map as JSON for programs: a row for each memory. */
function mapAsJson({ made, ...map }: AnsweredMap) {
  if (made === null) return { ...map, made }
  const { count, ids, x, y, kinds, kind, contexts, context, created } = toMapPoints(made.points)
  const points = Array.from({ length: count }, (_, at) => ({
    id: ids[at],
    x: x[at],
    y: y[at],
    kind: kinds[kind[at] as number],
    context: context[at] === NO_CONTEXT ? null : contexts[context[at] as number],
    createdAt: new Date((created[at] as number) * 1_000).toISOString(),
  }))
  return { ...map, made: { ...made, points } }
}

/** Says what is on the map, and what is not. */
function renderMap({ memories, newer, problem, made }: AnsweredMap): string {
  if (made === null)
    return problem === null ? 'There is no map yet. Make it:  daybook map' : safeLine(problem)
  const others = memories - newer - made.count
  return [
    `On the map: ${grouped(made.count)} of ${grouped(memories)} memories, as of ${made.madeAt}, by ${safeLine(made.model)}.`,
    ...(newer > 0 ? [`Newer, and not on it: ${grouped(newer)}. Make it again:  daybook map`] : []),
    ...(others > 0 ? [`Without a vector, or too old for the map: ${grouped(others)}.`] : []),
    'See it in the console:  daybook console',
  ].join('\n')
}

const MAP_MEMORIES = mutations.mapMemories('...Operation', [OPERATION])

/** Asks for a map. @throws RefusedError, UnreachableError, UnauthorisedError */
async function startMap(connection: Connection): Promise<Operation> {
  const { __typename: _, ...operation } = succeeded((await request(connection, MAP_MEMORIES, {})).result)
  return operation
}

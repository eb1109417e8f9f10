import type { Command } from 'commander'
import { addExamples, addNotes, invocation } from '../command.ts'
import { mapAsJson, readMap } from '../map/read-map.ts'
import { renderMap } from '../map/render-map.ts'
import { startMap } from '../map/start-map.ts'
import { OPERATION_HELP } from '../operations/options.ts'
import { followOrNote, watchOperations } from '../operations/run-operations.ts'
import { print, printJson } from '../output/print.ts'

/** Adds the options and action of `daybook map`. */
export function configure(command: Command): void {
  command
    .option('--show', 'only show the map that there is')
    .option('--detach', 'do not wait for the end')
    .action((options: MapOptions, self: Command) => map(options, self))
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

async function map({ show = false, detach = false }: MapOptions, command: Command): Promise<void> {
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

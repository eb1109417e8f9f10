import type { ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { ID_HELP, memoryId } from '../client/memory-id.ts'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { confirm, UsageError } from '../command-line.ts'
import { print, printJson } from '../output/print.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'
import type { Connection } from '../settings.ts'

/** Adds the arguments, options and action of `daybook erase`. */
export function configureErase(command: Command): void {
  command.argument('[id]', `${ID_HELP}; without it, what the filters select`)
  addFilterOptions(command)
    .option('--dry-run', 'only show what would be erased')
    .option('--yes', 'do not ask')
    .action((id: string | undefined, options: EraseOptions, self: Command) => erase(id, options, self))
  addExamples(command, [
    'daybook erase note:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
    'daybook erase --context customer-17 --dry-run',
    'daybook erase --context customer-17 --yes',
  ])
  addNotes(
    command,
    `
Erased is for good: the text leaves the journal with all its versions, the indexes, the vectors and the event bus, and
neither restore nor undo brings it back. An event without content stays, which says who erased it and when. Of a long
document all parts go. To take a memory out of the indexes only:  daybook forget <id>`,
  )
}

interface EraseOptions {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

const ERASE = mutations.erase('id sequence contents behind outOfReach')

const ERASE_MANY = mutations.eraseMany(
  'dryRun memories contents sequence behind outOfReach examples(first: 20) { id title }',
)

type Erased = Extract<ResultOf<typeof ERASE>['result'], { __typename: 'Erased' }>

async function erase(
  given: string | undefined,
  { dryRun = false, yes = false }: EraseOptions,
  command: Command,
): Promise<void> {
  const filter = await filterFrom(command)
  const { connection, json } = invocation(command)
  if (given === undefined) return eraseMany(filter, { dryRun, yes, json, connection })
  if (Object.keys(filter).length > 0)
    throw new UsageError('Give an id or filters, not both.', ['daybook erase --help'])
  if (dryRun)
    throw new UsageError('--dry-run goes with filters: an id is one memory.', [`daybook get ${given}`])
  const id = await memoryId(connection, given, { takesNumbers: false })
  await confirm(`Erase ${safeLine(id)} for good?`, yes)
  const erased = succeeded((await request(connection, ERASE, { id })).result)
  if (json) return printJson(erased)
  print(`Erased for good: ${safeLine(erased.id)}  (sequence ${erased.sequence})`)
  printReach(erased)
}

async function eraseMany(
  filter: Awaited<ReturnType<typeof filterFrom>>,
  { dryRun, yes, json, connection }: Required<EraseOptions> & { json: boolean; connection: Connection },
): Promise<void> {
  const ask = async (only: boolean) =>
    succeeded((await request(connection, ERASE_MANY, { filter, dryRun: only })).result)
  const plan = await ask(true)
  const onlyShow = dryRun || (json && !yes)
  if (json && onlyShow) return printJson(plan)
  if (!json) {
    for (const { id, title } of plan.examples) print(`${safeLine(id)}  ${safeLine(title)}`)
    if (plan.memories > plan.examples.length) print(`… and ${plan.memories - plan.examples.length} others`)
    print(`Memories that ${onlyShow ? 'would be' : 'will be'} erased: ${plan.memories}`)
  }
  if (onlyShow || plan.memories === 0) return json ? printJson(plan) : undefined
  await confirm(
    `Erase ${plan.memories === 1 ? 'this memory' : `these ${plan.memories} memories`} for good?`,
    yes,
  )
  const erased = await ask(false)
  if (json) return printJson(erased)
  print(`Memories erased for good: ${erased.memories}  (sequence ${erased.sequence ?? '-'})`)
  printReach(erased)
}

function printReach({ behind, outOfReach }: Pick<Erased, 'behind' | 'outOfReach'>): void {
  if (behind !== null) print(`Search follows: ${behind}`)
  print('Daybook cannot reach:')
  for (const one of outOfReach) print(`  ${one}`)
}

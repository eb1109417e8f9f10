import * as mutations from '@daybook/api/mutations'
import { safeLine } from '@daybook/memory/safe-text'
import { type Command, Option } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { EXIT } from '../command-line.ts'
import { counted, duration, note, print, printJson, shellWord } from '../output/print.ts'
import { type Connection, parseUrl } from '../settings.ts'
import { readHomeKey } from '../sync/promote.ts'
import {
  FOLLOWED,
  type Followed,
  opens,
  RULE_NAMES,
  type RuleName,
  ruleFrom,
  settled,
} from '../sync/sync-documents.ts'
import { watchCopying } from '../sync/unfollow.ts'

/** Adds the arguments, options and action of `daybook follow`. */
export function configureFollow(command: Command): void {
  command
    .argument('<url>', 'where its home is, as this Daybook reaches it')
    .requiredOption('--project <name or id>', 'the project, as it is called at its home')
    .option('--key <key>', 'a key of the home; others see it in the list of processes (DAYBOOK_HOME_KEY)')
    .addOption(
      new Option('--rule <rule>', 'what becomes of conflicts (default latest-wins)').choices(RULE_NAMES),
    )
    .option('--wait', 'show how it is copied, until everything is here and can be searched')
    .action((url: string, options: FollowOptions, self: Command) => follow(url, options, self))
  addExamples(command, [
    'daybook follow https://daybook.example:4000 --project shop --wait',
    'daybook follow http://desk:4000 --project notes --rule ask < key',
    'DAYBOOK_HOME_KEY=dbk_… daybook follow http://desk:4000 --project notes --json',
  ])
  addNotes(
    command,
    `
Copies the journal of a project from another Daybook, its home, and goes on as it grows. Every event is checked. Reads and
searches are then local; writes go to the home, and without a network into a branch, which is sent to it later. Needs a key
that runs this Daybook.

The key of the home needs the scopes read and follow in the project, and write if you are to write from here. Make it there:
  daybook keys create laptop --project shop --scope read,write,follow
Without --key and DAYBOOK_HOME_KEY it is asked for, or read from standard input. This Daybook keeps it in its database.

An empty project of that name here is replaced, and its keys open the copy. Any other
project that is here stays what it is. How it stands: daybook sync status. Another address or key: daybook sync repoint.`,
  )
}

interface FollowOptions {
  readonly project: string
  readonly key?: string
  readonly rule?: RuleName
  readonly wait?: boolean
}

const FOLLOW = mutations.followProject('tookOver again followed { ...Followed }', [FOLLOWED])

async function follow(
  given: string,
  { project, key: givenKey, rule, wait = false }: FollowOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const url = parseUrl(given)
  const key = await readHomeKey(givenKey, process.env)
  const variables = { url, key, project, rule: rule && ruleFrom(rule) }
  const { result } = await request({ ...connection, project: null }, FOLLOW, variables)
  const { followed, tookOver, again } = settled(result)
  const name = safeLine(followed.project.name)
  if (!json) {
    print(
      again
        ? `The project "${name}" follows ${safeLine(followed.homeUrl)} already.`
        : `The project "${name}" follows ${safeLine(followed.homeUrl)} from now on.`,
    )
    if (tookOver) print(`It took the place of the empty project "${name}" here, and of its keys.`)
  }
  const mayRead = await opens(connection, followed.project.id)
  if (wait)
    return untilHere({ ...connection, project: followed.project.id }, { tookOver, again, json, mayRead })
  if (json) return printJson({ followed, tookOver, again })
  print('Its journal is copied in the background; what is here already can be read and searched.')
  print(nextSteps(followed, mayRead))
}

interface Waited {
  readonly tookOver: boolean
  readonly again: boolean
  readonly json: boolean
  readonly mayRead: boolean
}

async function untilHere(connection: Connection, { tookOver, again, json, mayRead }: Waited): Promise<void> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const began = performance.now()
  const followed = await watchCopying(connection, mayRead, ending.signal)
  if (followed === null) {
    note('\nIt is copied on without you. How far it is:  daybook sync status')
    process.exitCode = EXIT.interrupted
    return
  }
  if (json) return printJson({ followed, tookOver, again })
  const seconds = (performance.now() - began) / 1_000
  print(
    `Everything is here and can be searched: ${counted(followed.copied, 'event')}, after ${duration(seconds)}.`,
  )
  print(nextSteps(followed, mayRead))
}

function nextSteps({ project }: Followed, mayRead: boolean): string {
  const of = `--project ${shellWord(project.name)}`
  return [
    `How it stands:  daybook sync status ${of}`,
    mayRead
      ? `Search it here:  daybook search ${of} <words>`
      : `Your key does not open it. Make one that does:  daybook keys create <name> ${of}`,
  ].join('\n')
}

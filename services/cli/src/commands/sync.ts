import * as queries from '@daybook/api/queries'
import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addGlobalOptions, addNotes, invocation, wholeNumber } from '../command.ts'
import { CliError, EXIT, UsageError } from '../command-line.ts'
import { note, print, printJson, shellWord } from '../output/print.ts'
import { table } from '../output/table.ts'
import { describeFollowed } from '../sync/describe-followed.ts'
import { type PromoteOptions, promote, repoint } from '../sync/promote.ts'
import {
  type ResolveOptions,
  readConflicts,
  renderConflicts,
  resolveConflicts,
} from '../sync/render-conflicts.ts'
import {
  changeFollowed,
  findFollowed,
  opens,
  RULE_NAMES,
  RULES,
  type RuleName,
  readFollowed,
  ruleFrom,
} from '../sync/sync-documents.ts'
import { type UnfollowOptions, unfollow } from '../sync/unfollow.ts'

/** Adds the subcommands of `daybook sync`. */
export function configureSync(command: Command): void {
  command
    .command('status', { isDefault: true })
    .description('how the followed projects stand: what is missing, what waits, what to do')
    .action((_, self: Command) => status(self))
  command
    .command('pause')
    .description('copy and send nothing until it is resumed; writes go into the branch')
    .action((_, self: Command) => pause({ paused: true }, self))
  command
    .command('resume')
    .description('copy and send again')
    .option('--go-back', 'the home does not have all that is here: go back, once, to what it has')
    .action(({ goBack }: { readonly goBack?: boolean }, self: Command) =>
      pause({ paused: false, ...(goBack === true && { goBack }) }, self),
    )
  command
    .command('repoint')
    .description('follow the home at another address or with another key, or another home')
    .argument('<url>', 'where the home is, as this Daybook reaches it')
    .option('--key <key>', 'a key of the home; others see it in the list of processes (DAYBOOK_HOME_KEY)')
    .action((url: string, options: { readonly key?: string }, self: Command) =>
      repoint(url, options, invocation(self)),
    )
  command
    .command('conflicts')
    .description('the changes made offline that are in conflict, the oldest first')
    .option('--resolved', 'also those that are resolved, and how')
    .option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1, 100))
    .option('--after <id>', 'go on after the conflict with this id')
    .action((options: ConflictOptions, self: Command) => conflicts(options, self))
  command
    .command('resolve')
    .description('decide a conflict, or all that wait')
    .argument('[id]', 'of the conflict, as the list shows it')
    .option('--mine', 'make the change that was made offline, on top of what the home has')
    .option('--theirs', 'leave it out; what the home has stays')
    .option('--all', 'all conflicts that wait')
    .option('--yes', 'do not ask, with --all')
    .action(async (id: string | undefined, options: ResolveOptions, self: Command) =>
      resolveConflicts(id, options, await ofFollowed(self)),
    )
  command
    .command('rule')
    .description('show or change what becomes of conflicts from now on')
    .argument('[rule]', RULE_NAMES.join(' or '))
    .action((given: string | undefined, _: object, self: Command) => rule(given, self))
  command
    .command('unfollow')
    .description('follow a project no more, and remove its copy from here; asks first')
    .option('--drop-unshared', 'also if changes have not reached the home: they are lost')
    .option('--yes', 'do not ask')
    .action((options: UnfollowOptions, self: Command) => unfollow(options, invocation(self)))
  command
    .command('promote')
    .description('make this Daybook the home of a project that it follows; asks first')
    .option('--at <url>', 'where the old home finds this Daybook (default: where the CLI does)')
    .option('--lost', 'the home is lost and cannot be asked')
    .option('--yes', 'do not ask')
    .action((options: PromoteOptions, self: Command) => promote(options, invocation(self)))
  command
    .command('followers')
    .description('at a home: who follows the project, and how far each is')
    .action((_, self: Command) => followers(self))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook sync status',
    'daybook sync pause --project shop',
    'daybook sync repoint http://laptop:4000 --project shop < key',
    'daybook sync conflicts --project shop --resolved --json',
    'daybook sync resolve 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --mine',
    'daybook sync resolve --all --theirs',
    'daybook sync rule ask',
    'daybook sync promote --at http://laptop:4000',
    'daybook sync followers --project shop',
    'daybook sync unfollow --project shop',
  ])
  addNotes(
    command,
    `
For projects that follow another Daybook, their home (daybook follow). --project says which is meant, if several are
followed. What is written while the home cannot be reached waits in the branch, and is sent in order when it can.

A change made offline is in conflict if the memory has another version at the home by then. By the rule latest-wins it is
made on top, with both in the history, and listed as resolved; by ask it waits here for a person. What the home refuses for
another reason waits too.

A home that does not have what it confirmed, or sends more than a home may, is paused with the reason: resume goes on, with
--go-back from the last event that both have. repoint gives a followed project another address or key of its home, or
another home; the key is asked for, or taken from DAYBOOK_HOME_KEY or standard input.

promote moves the home here. The old one hands over what it has and follows this one from then on. With --lost it is not
asked: for a home that will not come back, or not soon. Needs keys with the scope admin; unfollow, repoint and promote
need one that runs the whole Daybook. What was unfollowed can be followed again, and is copied again.`,
  )
}

/** The connection, which names the one project that is meant. @throws CliError FORBIDDEN if the key does not open it */
async function ofFollowed(command: Command) {
  const { connection, json } = invocation(command)
  const { project } = await findFollowed(connection)
  if (!(await opens(connection, project.id)))
    throw new CliError(
      EXIT.unauthorised,
      'FORBIDDEN',
      `Your key administers "${safeLine(project.name)}", and does not open it`,
      [
        `Make one that does:  daybook keys create <name> --project ${shellWord(project.name)} --scope read,write,admin`,
      ],
    )
  return { connection: { ...connection, project: project.id }, json }
}

async function status(command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const followed = await readFollowed(connection)
  if (json) return printJson({ followed })
  if (followed.length === 0)
    return print(
      'No project here follows another Daybook.\nFollow one:  daybook follow <url> --project <name>\nWho follows this one:  daybook sync followers',
    )
  const now = Date.now()
  print(followed.map((one) => describeFollowed(one, now)).join('\n\n'))
}

async function pause(
  change: { readonly paused: boolean; readonly goBack?: true },
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const { project } = await findFollowed(connection)
  const followed = await changeFollowed(connection, project.id, change)
  if (json) return printJson({ followed })
  const name = safeLine(project.name)
  if (!change.paused) return print(`"${name}" is copied, and what waits is sent, again.`)
  print(`"${name}" is paused: nothing is copied, and what is written here goes into the branch.`)
  print(`Go on:  daybook sync resume --project ${shellWord(project.name)}`)
}

interface ConflictOptions {
  readonly resolved?: boolean
  readonly limit?: number
  readonly after?: string
}

const CONFLICTS = 20

async function conflicts(
  { resolved, limit = CONFLICTS, after }: ConflictOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = await ofFollowed(command)
  const found = await readConflicts(connection, { first: limit, after, ...(resolved && { resolved }) })
  const next = found.length === limit ? (found.at(-1)?.id ?? null) : null
  if (json) return printJson({ conflicts: found, next })
  if (found.length === 0)
    return print(resolved === true ? 'There is no conflict.' : 'No conflict waits for a decision.')
  print(renderConflicts(found))
  if (found.some(({ resolution }) => resolution === null))
    note('\nDecide:  daybook sync resolve <id> --mine  or  --theirs')
  if (next !== null) note(`There may be more:  --after ${next}`)
}

async function rule(given: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const one = await findFollowed(connection)
  if (given !== undefined && !isRule(given))
    throw new UsageError(`"${safeLine(given)}" is no rule: it may be ${RULE_NAMES.join(' or ')}`)
  const followed =
    given === undefined ? one : await changeFollowed(connection, one.project.id, { rule: ruleFrom(given) })
  if (json) return printJson({ followed })
  print(`Conflicts of "${safeLine(followed.project.name)}": ${RULES[followed.rule]}.`)
}

const isRule = (given: string): given is RuleName => (RULE_NAMES as readonly string[]).includes(given)

const FOLLOWERS = queries.followers('id name keyId sequence lagEvents seenAt')

async function followers(command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const found = (await request(connection, FOLLOWERS, {})).followers
  if (json) return printJson({ followers: found })
  if (found.length === 0) return print('Nobody follows this project.')
  const now = Date.now()
  print(
    table(
      ['name', 'sequence', 'lag', 'last seen', 'key'],
      found.map(({ name, sequence, lagEvents, seenAt, keyId }) => [
        safeLine(name),
        sequence,
        lagEvents,
        age(seenAt, now),
        safeLine(keyId),
      ]),
    ),
  )
  note('End one:  daybook keys revoke <key>')
}

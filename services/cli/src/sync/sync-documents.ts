import { type Failure, isFailure } from '@daybook/api/failure'
import { graphql, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { readProjections } from '../client/operations.ts'
import { request, succeeded } from '../client/request.ts'
import { CliError, EXIT, RefusedError, UsageError } from '../command-line.ts'
import type { Connection } from '../settings.ts'

/** How a project is followed. */
export const FOLLOWED = graphql(`
  fragment Followed on FollowedProject {
    project { id name } homeUrl state problem rule epoch copied homeSequence lagEvents lagSeconds waiting waitingSince
    openConflicts movedTo followedSince
  }`)

/** A project whose home is another Daybook. */
export type Followed = Omit<ResultOf<typeof FOLLOWED>, '__typename'>

const LIST = queries.followedProjects('...Followed', [FOLLOWED])

/** As `readFollowed`, of all projects; none for a key that administers nothing. */
export async function readFollowedIfAllowed(connection: Connection): Promise<readonly Followed[]> {
  try {
    return await readFollowed({ ...connection, project: null })
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'FORBIDDEN') return []
    throw error
  }
}

/** The followed projects that the key administers; with a project in the connection only that one. */
export async function readFollowed(connection: Connection): Promise<readonly Followed[]> {
  const { project: named } = connection
  const { followedProjects } = await request({ ...connection, project: null }, LIST, {})
  return followedProjects.filter(({ project }) => named === null || isNamed(project, named))
}

const isNamed = ({ id, name }: Followed['project'], nameOrId: string): boolean =>
  name === nameOrId || id === nameOrId.toLowerCase()

/**
 * The followed project that is meant: the one that the connection names, or the only one.
 * @throws RefusedError NOT_FOUND, UsageError if there are several
 */
export async function findFollowed(connection: Connection): Promise<Followed> {
  const found = await readFollowed(connection)
  const [one] = found
  if (one === undefined)
    throw new RefusedError(
      'NOT_FOUND',
      connection.project === null
        ? 'No project here follows another Daybook. Follow one:  daybook follow <url> --project <name>'
        : `No project "${safeLine(connection.project)}" here follows another Daybook: daybook sync status`,
    )
  if (found.length > 1)
    throw new UsageError('Several projects are followed: say which one is meant with --project', [
      `There are:  ${found.map(({ project }) => safeLine(project.name)).join(', ')}`,
    ])
  return one
}

/** Whether the key may read a project that it administers. */
export async function opens(connection: Connection, projectId: string): Promise<boolean> {
  try {
    await readProjections({ ...connection, project: projectId })
    return true
  } catch (error) {
    if (error instanceof RefusedError && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return false
    throw error
  }
}

const CHANGE = mutations.changeFollowedProject('...Followed', [FOLLOWED])

/** Pauses, resumes, changes the rule for conflicts, or lets the copy go back. What is not given stays. */
export async function changeFollowed(
  connection: Connection,
  id: string,
  change: { readonly paused?: boolean; readonly rule?: Followed['rule']; readonly goBack?: boolean },
): Promise<Followed> {
  const { __typename: _, ...changed } = settled((await request(connection, CHANGE, { id, ...change })).result)
  return changed
}

/** The rules for conflicts, as people write them. */
export const RULE_NAMES = ['latest-wins', 'ask'] as const

/** One of them. */
export type RuleName = (typeof RULE_NAMES)[number]

/** A rule for conflicts as the API has it. */
export const ruleFrom = (name: RuleName): Followed['rule'] => (name === 'ask' ? 'ASK' : 'LATEST_WINS')

/** The rules in words. */
export const RULES: Readonly<Record<Followed['rule'], string>> = {
  LATEST_WINS: 'the latest wins, with both in the history',
  ASK: 'a person decides',
}

/** As `succeeded`; what sync refuses has a hint of its own. @throws RefusedError, CliError REFUSED */
export function settled<Result extends object>(result: Result): Exclude<Result, Failure> {
  if (isFailure(result) && result.code === 'REFUSED')
    throw new CliError(EXIT.failed, result.code, result.message, ['How it stands:  daybook sync status'])
  return succeeded(result)
}

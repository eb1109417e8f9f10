import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { safeLine } from '@daybook/memory/safe-text'
import { CliError } from '../cli-error.ts'
import { request } from '../client/request.ts'
import { confirm } from '../confirm.ts'
import { EXIT } from '../exit-codes.ts'
import { counted } from '../output/counted.ts'
import { print, printJson } from '../output/print.ts'
import { shellWord } from '../output/shell-word.ts'
import type { Connection } from '../settings.ts'
import { settled } from './settled.ts'
import { type Followed, findFollowed } from './sync-documents.ts'

/** The options of `daybook sync unfollow`. */
export interface UnfollowOptions {
  readonly dropUnshared?: boolean
  readonly yes?: boolean
}

const UNFOLLOW = graphql(
  `mutation UnfollowProject($id: ID!, $dropUnshared: Boolean) {
    ended: unfollowProject(id: $id, dropUnshared: $dropUnshared) {
      __typename ... on Unfollowed { id dropped } ...Failure
    }
  }`,
  [FAILURE],
)

/**
 * Asks, ends following a project, and has its copy removed here.
 * @throws CliError UNSHARED if something has not reached the home, unless that may be dropped
 */
export async function unfollow(
  { dropUnshared = false, yes = false }: UnfollowOptions,
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const { project, homeUrl, waiting, openConflicts } = await findFollowed(connection)
  const name = safeLine(project.name)
  const unshared = describeUnshared({ waiting, openConflicts })
  if (unshared !== null && !dropUnshared)
    throw new CliError(
      EXIT.failed,
      'UNSHARED',
      `${unshared} only here, and would be lost: ${safeLine(homeUrl)} does not have them.`,
      [
        `Let them reach the home first:  daybook sync status --project ${shellWord(project.name)}`,
        'If they may be lost:  --drop-unshared',
      ],
    )
  await confirm(
    `Stop following "${name}" and remove its copy from this Daybook? Its home, ${safeLine(homeUrl)}, keeps everything that it has. (For a while: daybook sync pause.)${unshared === null ? '' : ` ${unshared} only here, and will be lost.`}`,
    yes,
  )
  const { id, dropped } = settled(
    (await request({ ...connection, project: null }, UNFOLLOW, { id: project.id, dropUnshared })).ended,
  )
  if (json) return printJson({ id, dropped })
  print(`"${name}" is followed no more; its copy here is being removed.`)
  if (dropped > 0) print(`Lost: ${counted(dropped, 'change')} that the home never had.`)
}

function describeUnshared({
  waiting,
  openConflicts,
}: Pick<Followed, 'waiting' | 'openConflicts'>): string | null {
  const parts = [
    ...(waiting > 0 ? [counted(waiting, 'change')] : []),
    ...(openConflicts > 0 ? [`${counted(openConflicts, 'conflict')} without a decision`] : []),
  ]
  return parts.length === 0 ? null : `${parts.join(' and ')} ${waiting + openConflicts === 1 ? 'is' : 'are'}`
}

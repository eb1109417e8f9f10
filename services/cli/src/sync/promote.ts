import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import { UsageError } from '../cli-error.ts'
import { request } from '../client/request.ts'
import { confirm } from '../confirm.ts'
import { counted } from '../output/counted.ts'
import { print, printJson } from '../output/print.ts'
import { type Connection, parseUrl } from '../settings.ts'
import { settled } from './settled.ts'
import { type Followed, findFollowed } from './sync-documents.ts'

/** The options of `daybook sync promote`. */
export interface PromoteOptions {
  readonly at?: string
  readonly lost?: boolean
  readonly yes?: boolean
}

/** Milliseconds: the old home is asked again and again while somebody writes at it. */
const TIMEOUT_MS = 300_000

const PROMOTE = graphql(
  `mutation PromoteProject($id: ID!, $url: String!, $lost: Boolean) {
    promoted: promoteProject(id: $id, url: $url, lost: $lost) {
      __typename ... on Promoted { id epoch former } ...Failure
    }
  }`,
  [FAILURE],
)

/** Explains, asks, and makes this Daybook the home of a project that it follows. */
export async function promote(
  { at: given, lost = false, yes = false }: PromoteOptions,
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const one = await findFollowed(connection)
  const url = ownUrl(given, connection, one)
  await confirm(lost ? questionIfLost(one, url) : questionToHandOver(one, url), yes)
  const asked = { id: one.project.id, url, lost }
  const { promoted } = await request({ ...connection, project: null }, PROMOTE, asked, TIMEOUT_MS)
  const { id, epoch, former } = settled(promoted)
  if (json) return printJson({ id, epoch, former })
  print(`This Daybook is the home of "${safeLine(one.project.name)}" now, in epoch ${epoch}.`)
  print(
    lost
      ? `If ${safeLine(former)} comes back, it is told so, and follows this one: what only it has becomes a branch there, and is sent here.`
      : `${safeLine(former)} follows it from now on.`,
  )
  print('Other followers: have each follow this one.')
  print(`  daybook sync repoint ${safeLine(url)} --project ${safeLine(id)}`)
}

const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u
const isLocal = (url: string): boolean => LOCAL.test(new URL(url).hostname)

/** Where the old home finds this Daybook. @throws UsageError if the CLI cannot know */
function ownUrl(given: string | undefined, { url }: Connection, { homeUrl }: Followed): string {
  if (given !== undefined) return parseUrl(given)
  if (isLocal(url) && !isLocal(homeUrl))
    throw new UsageError(`Say where ${safeLine(homeUrl)} finds this Daybook, which you reach at ${url}`, [
      'For example:  --at http://laptop:4000',
    ])
  return url
}

const questionToHandOver = ({ project, homeUrl }: Followed, url: string): string =>
  `Make this Daybook (${safeLine(url)}) the home of "${safeLine(project.name)}"? ${safeLine(homeUrl)} hands it over once everything is here, accepts no writes of its own any more, and follows this Daybook.`

function questionIfLost({ project, homeUrl, copied, homeSequence, waiting }: Followed, url: string): string {
  const missing = Math.max(0, homeSequence - copied)
  const known =
    missing === 0
      ? `everything up to its event ${grouped(copied)} is here`
      : `${counted(missing, 'event')} that it had are not here`
  const branch = waiting === 0 ? '' : ` ${counted(waiting, 'change')} of the branch will be decided here.`
  return `Make this Daybook (${safeLine(url)}) the home of "${safeLine(project.name)}" without asking ${safeLine(homeUrl)}? As far as is known, ${known}; what only that one has will be missing until it comes back.${branch} If it still runs and others write to it, both are homes until it is told.`
}

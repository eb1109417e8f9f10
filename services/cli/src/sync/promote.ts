import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import * as mutations from '@daybook/api/mutations'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import { request } from '../client/request.ts'
import { confirm, UsageError } from '../command-line.ts'
import { counted, print, printJson } from '../output/print.ts'
import { readText } from '../remember/remember-input.ts'
import { type Connection, parseUrl } from '../settings.ts'
import { FOLLOWED, type Followed, findFollowed, settled } from './sync-documents.ts'

/** The options of `daybook sync promote`. */
export interface PromoteOptions {
  readonly at?: string
  readonly lost?: boolean
  readonly yes?: boolean
}

/** Milliseconds: the old home is asked again and again while somebody writes at it. */
const TIMEOUT_MS = 300_000

const PROMOTE = mutations.promoteProject('id epoch former')

/** Explains, asks, and makes this Daybook the home of a project that it follows. */
export async function promote(
  { at: given, lost = false, yes = false }: PromoteOptions,
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const one = await findFollowed(connection)
  const url = ownUrl(given, connection, one)
  await confirm(lost ? questionIfLost(one, url) : questionToHandOver(one, url), yes)
  const asked = { id: one.project.id, url, lost }
  const { result } = await request({ ...connection, project: null }, PROMOTE, asked, TIMEOUT_MS)
  const { id, epoch, former } = settled(result)
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

interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable
}

/**
 * The key that opens the project at its home: as it was given, else from DAYBOOK_HOME_KEY, else asked for on a terminal,
 * which does not show it, else from standard input.
 * @throws UsageError if it is empty or none of Daybook's
 */
export async function readHomeKey(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  const said = (given ?? environment['DAYBOOK_HOME_KEY'])?.trim()
  const key =
    said || (await (terminal.input.isTTY === true ? ask(terminal) : readText(terminal.input))).trim()
  if (!/^[!-~]{1,255}$/u.test(key))
    throw new UsageError('No key of the home was given, or it is none of Daybook’s (dbk_…)', [
      'Make one at the home:  daybook keys create <name> --project <name> --scope read,write,follow',
      'Give it as DAYBOOK_HOME_KEY, on standard input, or here when you are asked',
    ])
  return key
}

/** Asks for a line, which readline writes nowhere. */
function ask({ input, output }: Terminal): Promise<string> {
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true })
  output.write('The key of the home (it is not shown): ')
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    // Ctrl-C and Ctrl-D.
    lines.once('close', () => {
      output.write('\n')
      resolve('')
    })
  })
}

const REPOINT = mutations.repointProject('...Followed', [FOLLOWED])

/** Gives a followed project another address or key of its home, or another home. */
export async function repoint(
  given: string,
  { key: givenKey }: { readonly key?: string },
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const url = parseUrl(given)
  const { project } = await findFollowed(connection)
  const key = await readHomeKey(givenKey, process.env)
  const variables = { id: project.id, url, key }
  const { __typename: _, ...followed } = settled(
    (await request({ ...connection, project: null }, REPOINT, variables)).result,
  )
  if (json) return printJson({ followed })
  print(`"${safeLine(project.name)}" follows ${safeLine(followed.homeUrl)} from now on, with this key.`)
}

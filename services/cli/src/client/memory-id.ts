import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { CliError, EXIT, UsageError } from '../command-line.ts'
import { counted } from '../output/print.ts'
import type { Connection } from '../settings.ts'
import { notFound, request } from './request.ts'

/** The help of an argument that `memoryId` reads, where no number is taken. */
export const ID_HELP = 'its id, or how that begins: 4 digits or more, with or without the kind'

/** The same where one is. */
export const ID_OR_NUMBER_HELP = `${ID_HELP}; or its number in the last list`

/** How the id of a memory begins: `3f2a91c`, `note:3f2a91c`. A whole id is longer. */
const BEGINNING = /^(?:[a-z]+:)?[0-9a-f]{4}[0-9a-f-]{0,31}$/iu

const ALIKE = queries.memoriesByPrefix('id title')

/** The most memories that an error names. */
const NAMED = 5

/**
 * The id of the memory that a person means. One given whole is returned as it is, without a request.
 * @param given an id, the beginning of one, or a number in the list that was printed last
 * @param takesNumbers whether a number is taken. Default true
 * @throws CliError AMBIGUOUS_ID if several memories of the project have ids that begin so; RefusedError NOT_FOUND if none has;
 *   UsageError if there is no such number
 */
export async function memoryId(
  connection: Connection,
  given: string,
  { takesNumbers = true }: { readonly takesNumbers?: boolean } = {},
): Promise<string> {
  if (NUMBER.test(given)) return listedId(connection, given, takesNumbers)
  if (!BEGINNING.test(given)) return given
  const { memoriesByPrefix: alike } = await request(connection, ALIKE, { prefix: given })
  const [first, ...others] = alike
  if (first === undefined) throw notFound(given)
  if (others.length === 0) return first.id
  throw new CliError(EXIT.failed, 'AMBIGUOUS_ID', `Several memories have an id that begins with "${given}"`, [
    ...alike.slice(0, NAMED).map(({ id, title }) => `${safeLine(id)}  ${safeLine(title)}`),
    alike.length > NAMED ? 'and others. Give more of its digits' : 'Give more of its digits',
  ])
}

/** A place in a list, which has 100 memories at most. An id's beginning has more digits. */
const NUMBER = /^[1-9]\d{0,2}$/u

/** The last list that was printed of a daemon's project, in the data folder. It holds no text: another program may read it. */
interface LastList extends Pick<Connection, 'url' | 'project'> {
  /** Milliseconds since 1970. */
  readonly printedAt: number
  readonly ids: readonly string[]
}

const fileOf = ({ dataDir }: Connection) => join(dataDir, 'last-list.json')

/** Who comes back after a day no longer knows which list was the last. */
const COUNTS_MS = 24 * 3_600_000

/** Keeps what a list shows, in its order, so that its numbers can be given for ids. Where nothing can be written, there are none. */
export function keepList(connection: Connection, memories: readonly { readonly id: string }[]): void {
  const { url, project, dataDir } = connection
  const list: LastList = { url, project, printedAt: Date.now(), ids: memories.map(({ id }) => id) }
  const written = `${fileOf(connection)}.${process.pid}`
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(written, JSON.stringify(list), { mode: 0o600 })
    renameSync(written, fileOf(connection))
  } catch {
    // A list is printed all the same.
  }
}

function listedId(connection: Connection, number: string, takesNumbers: boolean): string {
  if (!takesNumbers)
    throw new UsageError(`This takes an id, not the number ${number} of a list`, [
      `daybook get ${number} shows the id`,
    ])
  const list = lastList(connection)
  if (list === null)
    throw new UsageError(`There is no list that ${number} could be a number in`, [
      'Print one first:  daybook list, search or todo. It counts for a day, for the same daemon and project',
      'Or give an id, or how it begins: 4 digits or more',
    ])
  const id = list.ids[Number(number) - 1]
  if (id !== undefined) return id
  throw new UsageError(
    `The last list has no number ${number}: it showed ${counted(list.ids.length, 'memory', 'memories')}`,
    ['Print it again:  daybook list, search or todo'],
  )
}

/** Null if there is none that counts. */
function lastList(connection: Connection): LastList | null {
  try {
    const list = JSON.parse(readFileSync(fileOf(connection), 'utf8')) as LastList
    const age = Date.now() - list.printedAt
    const isOfHere = list.url === connection.url && list.project === connection.project
    return isOfHere && age >= 0 && age < COUNTS_MS ? list : null
  } catch {
    return null
  }
}

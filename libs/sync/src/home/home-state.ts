import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { readHash } from '@daybook/journal/chain/read-chain'
import { readEnd } from '@daybook/journal/read/read'
import { DaybookError, ValidationError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import { listQuarantines } from '@daybook/postgres/access/quarantines'
import { readMinimum } from '@daybook/postgres/compatibility'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { z } from 'zod'
import type { HomeState } from '../wire/stream-line.ts'

/** Reads what holds for a project beside its events. @throws Error if there is no such project */
export async function readHomeState({ db, projectId }: ProjectScope): Promise<HomeState> {
  const project = await db
    .selectFrom('projects')
    .innerJoin('journal_heads', 'journal_heads.project_id', 'projects.id')
    .leftJoin('followed_projects', 'followed_projects.project_id', 'projects.id')
    .select([
      'projects.id',
      'projects.name',
      'projects.language',
      'journal_heads.epoch',
      'followed_projects.home_url',
    ])
    .where('projects.id', '=', projectId)
    .executeTakeFirstOrThrow()
  const quarantines = await listQuarantines(db, [projectId])
  return {
    project: { id: project.id, name: project.name },
    epoch: project.epoch,
    minimumReader: (await readMinimum(db))?.reader ?? 1,
    language: project.language,
    quarantines: quarantines.map(({ id, keyIds, agent, reason, beganAt, beganBy }) => ({
      id,
      keyIds,
      agent,
      reason,
      beganAt,
      beganBy,
    })),
    movedTo: project.home_url,
  }
}

/** The form of what a home says of a project before it is followed. */
export const homeInfo = z.object({
  project: z.object({ id: z.uuid(), name: shortString(LIMITS.nameCharacters) }),
  epoch: z.int32(),
  minimumReader: z.int32(),
  head: z.object({ sequence: z.int32(), hash: z.string() }),
  /** Where its home is, if that is not the one that answers. */
  movedTo: z.string().nullable(),
})

/** What a home says of a project. */
export type HomeInfo = z.infer<typeof homeInfo>

/** Reads it. */
export async function readHomeInfo(scope: ProjectScope): Promise<HomeInfo> {
  const { project, epoch, minimumReader, movedTo } = await readHomeState(scope)
  return { project, epoch, minimumReader, movedTo, head: await readEnd(scope) }
}

/** A name with a port; null: any. */
interface HostName {
  readonly name: string
  readonly port: number | null
}

/** Who may become the home of a project of this Daybook. */
export interface NextHomes {
  /** The setting `DAYBOOK_NEXT_HOMES`. */
  readonly allowed: readonly HostName[]
  /** Whether the key that asks may run the whole Daybook. */
  readonly byAdministrator: boolean
}

/** Of this machine, of this link, and where clouds serve the secrets of a machine. */
const CLOSED = new BlockList()

for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
] as const)
  CLOSED.addSubnet(net, bits, 'ipv4')

for (const [net, bits] of [
  ['::', 127],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
] as const)
  CLOSED.addSubnet(net, bits, 'ipv6')

const isClosed = (address: string): boolean => CLOSED.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Checks the address of a project's new home, which this Daybook will ask from then on: it is one that the setting names, or
 * a key that may run the whole Daybook asks. An address of this machine or link is one that the setting names.
 * @throws ValidationError if there is more than the address; DaybookError REFUSED if it is not allowed
 */
export async function requireNextHome(url: string, { allowed, byAdministrator }: NextHomes): Promise<void> {
  const { origin, hostname, port, protocol } = new URL(url)
  if (origin !== url)
    throw new ValidationError('url', 'must be an address without a path, such as https://laptop:4000')
  const usual = protocol === 'https:' ? 443 : 80
  const given = port === '' ? usual : Number(port)
  if (allowed.some((one) => one.name === hostname && (one.port === null || one.port === given))) return
  const how = 'Whoever runs it names those in DAYBOOK_NEXT_HOMES'
  if (!byAdministrator)
    throw new DaybookError('REFUSED', `This Daybook does not hand over to ${origin}. ${how}`)
  const host = hostname.replace(/^\[|\]$/gu, '')
  const addresses =
    isIP(host) === 0 ? (await lookup(host, { all: true }).catch(() => [])).map((one) => one.address) : [host]
  if (addresses.length === 0) throw new DaybookError('REFUSED', `This Daybook does not find ${origin}`)
  if (addresses.some(isClosed))
    throw new DaybookError(
      'REFUSED',
      `This Daybook does not hand over to addresses of its own machine or link, as ${origin} is. ${how}`,
    )
}

/** Places that a follower asks about at a time. */
export const MOST_PLACES = 64

/** The form of a request with places, in the order of their sequences. */
export const placesAsked = z.strictObject({
  places: z
    .array(z.strictObject({ sequence: z.int32().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/u) }))
    .max(MOST_PLACES),
})

/** The form of the answer: the last of them that this journal has; null if it has none. */
export const placeAnswered = z.object({ common: z.int32().nullable() })

/** The sequence of the last of the places that the journal has. */
export async function lastOfPlaces(
  scope: ProjectScope,
  places: readonly JournalCursor[],
): Promise<z.infer<typeof placeAnswered>> {
  for (const { sequence, hash } of places.toReversed())
    if ((await readHash(scope, sequence)) === hash) return { common: sequence }
  return { common: null }
}

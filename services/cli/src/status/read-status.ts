import { CliError } from '../cli-error.ts'
import type { Generation } from '../client/generations.ts'
import { readHealth, readReadiness } from '../client/health.ts'
import type { Operation } from '../client/operations.ts'
import { type Projection, readProjections } from '../client/projections.ts'
import { readSystem, type SystemState } from '../client/system.ts'
import { EXIT } from '../exit-codes.ts'
import { addressFrom, connectionFrom, type Environment, type GlobalOptions, placeFrom } from '../settings.ts'
import { type Followed, readFollowedIfAllowed } from '../sync/sync-documents.ts'

/** What `daybook status` shows. */
export interface Status {
  readonly reachable: boolean
  /** Null if none is given and the daemon of the data folder does not run. */
  readonly url: string | null
  readonly version: string | null
  readonly ready: boolean
  readonly problems: readonly string[]
  /** The projections' progress with the key's own project. */
  readonly projections: readonly Projection[]
  /** The state over all projects; null if the key may not see it, or the daemon is not ready. */
  readonly system: SystemState['system'] | null
  readonly generations: readonly Generation[]
  /** The operations under way. */
  readonly operations: readonly Operation[]
  /** The projects that have their home elsewhere, as far as the key administers them. */
  readonly followed: readonly Followed[]
}

const NOTHING = { projections: [], system: null, generations: [], operations: [], followed: [] } as const

/**
 * Reads the status.
 * @throws UnreachableError (`statusUnreachable` turns it into a status), UnauthorisedError
 */
export async function readStatus(options: GlobalOptions, environment: Environment): Promise<Status> {
  const place = placeFrom(options, environment)
  const [{ version }, { ready, problems }] = await Promise.all([readHealth(place), readReadiness(place)])
  const found = { reachable: true, url: place.url, version, ready, problems }
  if (!ready) return { ...found, ...NOTHING }
  const connection = connectionFrom(options, environment)
  const [projections, state, followed] = await Promise.all([
    readProjections(connection),
    readSystem(connection),
    readFollowedIfAllowed(connection),
  ])
  return { ...found, ...NOTHING, projections, ...state, followed }
}

/** The status of a daemon that does not answer; null for any other error. */
export function statusUnreachable(
  options: GlobalOptions,
  environment: Environment,
  error: unknown,
): Status | null {
  if (!(error instanceof CliError) || error.exitCode !== EXIT.unreachable) return null
  const url = addressFrom(options, environment)
  return { reachable: false, url, version: null, ready: false, problems: [error.message], ...NOTHING }
}

import { DaybookError } from '@daybook/memory/errors'
import { isLoopback } from './http/trusted-names.ts'
import { brokenRules } from './settings/broken-rules.ts'
import { readSettings, type Values } from './settings/setting.ts'
import { SETTINGS } from './settings.ts'

type AllValues = Values<typeof SETTINGS>

/** The settings of a server that is used. */
type Used<Server> = { readonly [Key in keyof Server]: NonNullable<Server[Key]> }

/** The checked settings of a Daybook process. `SETTINGS` says what each is. */
export interface Config
  extends Omit<AllValues, 'nats' | 'typesense' | 'oauth' | 'graphiql' | 'introspection'> {
  readonly graphiql: boolean
  readonly introspection: boolean
  /** Undefined: no tokens are taken, only keys. */
  readonly oauth: Used<AllValues['oauth']> | undefined
  /** Undefined: events travel inside the process, and projectors elsewhere poll the journal. */
  readonly nats: Used<AllValues['nats']> | undefined
  /** Undefined: words are searched in Postgres. */
  readonly typesense: Used<AllValues['typesense']> | undefined
}

/**
 * The port of each service unless `DAYBOOK_PORT` says otherwise: all different, so that they can run on one
 * machine.
 */
export const DEFAULT_PORTS = {
  gateway: 4000,
  'projector-pgvector': 4001,
  'projector-typesense': 4002,
  reindex: 4003,
  sync: 4004,
} as const

/**
 * Reads the environment; an empty variable counts as absent.
 * @param defaultPort the service's port if `DAYBOOK_PORT` is absent
 * @throws DaybookError CONFIGURATION naming the variable; the value is not shown, because it may hold a
 * password
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  { defaultPort = DEFAULT_PORTS.gateway }: { defaultPort?: number } = {},
): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const problems: string[] = []
  const values = readSettings(
    SETTINGS,
    { ...present, DAYBOOK_PORT: present['DAYBOOK_PORT'] ?? String(defaultPort) },
    (setting, problem) => problems.push(`${setting}: ${problem}`),
  )
  // Values that failed their own check are missing, so a rule about several could not be judged.
  if (problems.length === 0)
    problems.push(...brokenRules(values).map(({ setting, problem }) => `${setting}: ${problem}`))
  if (problems.length > 0)
    throw new DaybookError('CONFIGURATION', `The environment is not right.\n${problems.join('\n')}`)
  // They help who develops on this machine, and strangers who look for a way in.
  const { graphiql = isLoopback(values.host), introspection = isLoopback(values.host) } = values
  return {
    ...values,
    graphiql,
    introspection,
    oauth: usedOnly(values.oauth.issuer, values.oauth),
    nats: usedOnly(values.nats.url, values.nats),
    typesense: usedOnly(values.typesense.url, values.typesense),
  }
}

/** A server's settings if it has an address. `brokenRules` has checked that the others are set then. */
const usedOnly = <Server>(address: string | undefined, server: Server): Used<Server> | undefined =>
  address === undefined ? undefined : (server as Used<Server>)

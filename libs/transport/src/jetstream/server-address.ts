import { DaybookError } from '@daybook/memory/errors'
import type { NodeConnectionOptions } from '@nats-io/transport-node'

/** The content of `NATS_URL`: the address of one server or several of a cluster, separated by commas. */
export interface ServerAddress {
  readonly options: Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'>
  /** For logs: hosts and ports, never credentials. */
  readonly shown: string
}

const DEFAULT_PORT = '4222'

/**
 * Reads `nats://user:password@host:4222`, `nats://token@host`, `tls://host`, or plain `host:port`. The first
 * credentials found serve all addresses: the client knows one pair and takes none from an address itself.
 * @throws DaybookError CONFIGURATION, without repeating the address
 */
export function parseServerAddress(given: string): ServerAddress {
  const urls = given.split(',').map((one) => parseOne(one.trim()))
  const hosts = urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`)
  const withUser = urls.find(({ username }) => username !== '')
  const user = decodeURIComponent(withUser?.username ?? '')
  const pass = decodeURIComponent(withUser?.password ?? '')
  return {
    options: {
      servers: hosts,
      ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
      ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    },
    shown: hosts.join(','),
  }
}

function parseOne(address: string): URL {
  try {
    const url = new URL(address.includes('://') ? address : `nats://${address}`)
    if (url.hostname !== '' && (url.protocol === 'nats:' || url.protocol === 'tls:')) return url
  } catch {
    // Reported below, without the address: its parts may be secrets.
  }
  throw new DaybookError(
    'CONFIGURATION',
    'NATS_URL is not an address that Daybook can use: write nats://host:4222, nats://user:password@host:4222 or tls://host:4222, several separated by commas',
  )
}

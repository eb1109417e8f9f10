import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { DaybookError, ValidationError } from '@daybook/memory/errors'

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

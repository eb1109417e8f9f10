import { existsSync } from 'node:fs'
import type { Collection } from '../collection.ts'
import { daybookPeer, nativeDaybookPeer } from './daybook.ts'
import { daybookMcpPeer } from './daybook-mcp.ts'
import { describedPeer } from './described-peer.ts'
import { type Peer, PeerFailed } from './peer.ts'
import { pgvectorPeer } from './pgvector-rrf.ts'

/**
 * The peers by name, to be started one after another.
 * @param names `daybook`, `daybook-native`, `daybook-mcp`, `pgvector`, or paths of descriptions
 * @throws PeerFailed for a name that is none of these
 */
export function openPeers(names: readonly string[], { groups }: Collection): (() => Promise<Peer>)[] {
  return names.map((name) => {
    if (name === 'daybook') return () => daybookPeer(groups.map((group) => group.name))
    if (name === 'daybook-native') return () => nativeDaybookPeer(groups.map((group) => group.name))
    if (name === 'daybook-mcp') return () => daybookMcpPeer(groups.map((group) => group.name))
    if (name === 'pgvector') return pgvectorPeer
    if (!existsSync(name))
      throw new PeerFailed(
        `--peers takes daybook, daybook-native, daybook-mcp, pgvector, or the path of a description; not "${name}"`,
      )
    const described = describedPeer(name)
    return async () => described
  })
}

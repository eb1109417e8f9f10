import type { Tenant } from '../../fuzz/tenants.ts'
import type { TestDaemon } from '../../support/daemon.ts'
import { askGraphQL, dataOf } from '../../support/graphql.ts'
import { type FuzzClient, httpClient, stdioClient } from './clients.ts'
import type { Ledger } from './ledger.ts'

/** In every text of a project; no key of another may see it. */
export const [OWN, OTHER] = ['basaltheron', 'quartzkestrel'] as const

/** A client with what it may know and not see. */
export interface Player {
  readonly fuzz: FuzzClient
  readonly tenant: Tenant
  readonly marker: string
  readonly hidden: readonly string[]
  readonly ledger: Ledger
}

/** Clients with every sort of key, over both transports, in both revisions. */
export async function connectAll(
  daemon: TestDaemon,
  url: string,
  { own, other }: { readonly own: Tenant; readonly other: Tenant },
  ledgers: { readonly own: Ledger; readonly other: Ledger },
): Promise<Player[]> {
  const folder = daemon.dataDir
  const reader = await newKey(daemon, own, ['READ'])
  const quarantined = await newKey(daemon, own, ['READ', 'WRITE'])
  dataOf(
    await askGraphQL(
      { url, apiKey: own.key },
      {
        query: 'mutation ($key: ID!) { quarantineWriter(key: $key, reason: "a test") { __typename } }',
        variables: { key: quarantined.id },
      },
    ),
  )
  const ours = (fuzz: FuzzClient): Player => ({
    fuzz,
    tenant: own,
    marker: OWN,
    hidden: [OTHER],
    ledger: ledgers.own,
  })
  const theirs = (fuzz: FuzzClient): Player => ({
    fuzz,
    tenant: other,
    marker: OTHER,
    hidden: [OWN],
    ledger: ledgers.other,
  })
  return [
    ours(await httpClient('HTTP 2026-07-28', { url, key: own.key })),
    ours(await httpClient('HTTP 2025-11-25', { url, key: own.key }, 'legacy')),
    ours(await httpClient('a reader', { url, key: reader.key })),
    ours(await httpClient('in quarantine', { url, key: quarantined.key })),
    theirs(await httpClient('the other project', { url, key: other.key })),
    ours(await stdioClient('stdio 2026-07-28', { url, key: own.key, folder }, 'modern')),
    theirs(await stdioClient('stdio 2025-11-25', { url, key: other.key, folder }, 'legacy')),
  ]
}

async function newKey(daemon: TestDaemon, { projectId }: Tenant, scopes: readonly string[]) {
  const { createKey } = dataOf(
    await daemon.graphql<{ createKey: { key: string; id: string } }>({
      query: `mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key id } } }`,
      variables: { input: { name: scopes.join(' '), projects: [projectId], scopes } },
    }),
  )
  return createKey
}

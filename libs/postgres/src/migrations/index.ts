import type { Migration } from 'kysely'
import * as baseline from './0001-baseline.ts'
import * as relayLooks from './0002-relay-looks.ts'

/** All migrations by name, in their order. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-baseline': baseline,
  '0002-relay-looks': relayLooks,
}

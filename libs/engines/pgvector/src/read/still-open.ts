import { type RawBuilder, sql } from 'kysely'

/**
 * The kinds that a person opens and closes, each with the condition on the table `memories` (alias `m`) for
 * those that are open. A session without a status is open: nobody closed it.
 */
export const STILL_OPEN = {
  todo: sql<boolean>`(m.kind = 'todo' and m.state->'content'->>'resolvedAt' is null)`,
  session: sql<boolean>`(m.kind = 'session' and m.state->'content'->>'status' is distinct from 'closed')`,
} as const satisfies Record<string, RawBuilder<boolean>>

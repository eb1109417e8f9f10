import { sql } from 'kysely'

/** SQL that identifies the current run of the database server by its start time. */
export const SERVER_RUN = sql<string>`extract(epoch from pg_postmaster_start_time())::text`

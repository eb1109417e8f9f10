import { sql } from 'kysely'

/** Which run of which database server this is: another one began at another moment. */
export const SERVER_RUN = sql<string>`extract(epoch from pg_postmaster_start_time())::text`

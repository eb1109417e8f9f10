import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { openDatabase, serverAddress } from '@daybook/postgres/connect'
import { migrate } from '@daybook/postgres/migrate'
import { findBinaries, OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'

needing(OWN_POSTGRES).describe('the database of compose.yaml', () => {
  it('has a login for the services, which owns nothing and works', async () => {
    const server = await startNativeServer()
    try {
      const socket = decodeURIComponent(new URL(server.url).host)
      execFileSync('bash', [join(REPOSITORY, 'infra/postgres/login.sh')], {
        cwd: dirname(findBinaries()),
        env: {
          PATH: `${findBinaries()}:${process.env['PATH']}`,
          PGHOST: socket,
          POSTGRES_USER: 'postgres',
          POSTGRES_DB: 'postgres',
          POSTGRES_LOGIN_PASSWORD: `it's "secret"`,
        },
      })
      await migrate(serverAddress(server.url), 'daybook_login')
      const db = openDatabase(serverAddress(server.url.replace('//postgres@', '//daybook_login@'), 1))
      const { rows } = await sql<{ login: string; owned: number }>`
        select session_user::text as login, (select count(*) from pg_class where relowner = session_user::regrole) as owned`.execute(
        db,
      )
      expect(rows).toEqual([{ login: 'daybook_login', owned: 0 }])
      await db.destroy()
    } finally {
      await server.stop()
    }
  })
})

import { Client } from 'pg'
import { expect, test } from 'vitest'
import { startFailoverPair } from './failover-pair.ts'
import { HAS_NATIVE_POSTGRES } from './native-binaries.ts'

if (!HAS_NATIVE_POSTGRES)
  process.stderr.write('\n*** NOT TESTED: a failover needs native Postgres. Run infra/debian/install.\n\n')

test.skipIf(!HAS_NATIVE_POSTGRES)(
  'a failover keeps what was committed before the cut and loses what came after it, as often as it happens',
  async () => {
    const pair = await startFailoverPair()
    const ask = async (query: string) => {
      const client = new Client({ connectionString: pair.url })
      await client.connect()
      try {
        return (await client.query<{ name: string }>(query)).rows.map(({ name }) => name)
      } finally {
        await client.end()
      }
    }
    try {
      await ask('create table kept (name text)')
      for (const round of ['first', 'second']) {
        await ask(`insert into kept values ('${round}')`)
        await pair.cutReplication()
        await ask(`insert into kept values ('${round}, lost')`)
        await pair.failOver()
      }
      expect(await ask('select name from kept')).toEqual(['first', 'second'])
    } finally {
      await pair.stop()
    }
  },
)

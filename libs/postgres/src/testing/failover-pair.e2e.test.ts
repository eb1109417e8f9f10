import { needing } from '@daybook/runtime/testing/needing'
import { Client } from 'pg'
import { expect } from 'vitest'
import { startFailoverPair } from './failover-pair.ts'
import { OWN_POSTGRES } from './native-binaries.ts'

needing(OWN_POSTGRES).test(
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

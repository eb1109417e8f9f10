import { appendOne, createJournalWriter } from '@daybook/journal/append/journal-writer'
import { note } from '@daybook/journal/testing/requests'
import { type CompatibilityWatch, raiseMinimum, watchCompatibility } from '@daybook/postgres/compatibility'
import { evenIfRefused } from '@daybook/postgres/connect'
import { migrate } from '@daybook/postgres/migrate'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkDatabase } from './checks/database.ts'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const NOTE = { input: { content: { note: { text: 'the tide table hangs by the door' } } } }
const SEARCH = '{ search(query: "tide table", atLeast: 1) { hits { memory { text } } } }'
const CHECKS = '{ checks { name status message advice } }'
const TOO_OLD = {
  code: 'CONFIGURATION',
  message: expect.stringMatching(/version \d+,.* needs version 99 or later.*upgrade/u),
}

describe.each(SERVICE_DATABASES)('a process that is too old, on $name', ({ start }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let client: TestClient
  let watch: CompatibilityWatch
  beforeAll(async () => {
    database = await start()
    gateway = await startTestGateway(database)
    client = await gateway.newClient(true)
    watch = watchCompatibility(database.db, silentLogger)
    await client.data(REMEMBER, NOTE)
  })
  afterEach(async () => {
    await asOwner({ ...database, db: evenIfRefused(database.db) }, (owner) =>
      sql`update daybook.compatibility set minimum_reader = 1, minimum_writer = 1`.execute(owner),
    )
    await watch?.look()
  })
  afterAll(async () => {
    await watch?.stop()
    await gateway?.stop()
    await database?.stop()
  })

  const raise = (minimum: { reader?: number; writer?: number }) =>
    asOwner(database, (owner) => raiseMinimum(owner, minimum))
  const ready = async () => {
    const response = await fetch(`${client.url}/ready`)
    return { status: response.status, body: await response.json() }
  }
  const check = async () => {
    const { checks } = await client.data(CHECKS)
    return checks.find(({ name }: { name: string }) => name === 'compatibility')
  }

  it('may not append, while reads and searches go on', async () => {
    expect(await check()).toMatchObject({ status: 'OK', advice: null })
    await raise({ writer: 99 })
    const { body } = await client.send(REMEMBER, NOTE)
    expect(body.errors?.[0]).toMatchObject({
      message: TOO_OLD.message,
      extensions: { code: 'CONFIGURATION', retryable: false },
    })
    await watch.look()
    expect((await client.data(SEARCH)).search.hits).toHaveLength(1)
    expect(await check()).toMatchObject({ status: 'FAILED', message: TOO_OLD.message })
    expect(await ready()).toMatchObject({ status: 200 })
    const scope = await database.newProject()
    await expect(
      appendOne(
        createJournalWriter(() => {}),
        scope,
        note('one more'),
      ),
    ).rejects.toMatchObject(TOO_OLD)
  })

  it('does not start where it may not read, and starts beside a newer one where it may', async () => {
    const newer = '9999-of-a-newer-version'
    await asOwner(database, (owner) =>
      sql`insert into daybook.kysely_migration values (${newer}, 'now')`.execute(owner),
    )
    await expect(migrate(database.address)).resolves.toEqual([])
    await raise({ reader: 99 })
    await expect(migrate(database.address)).rejects.toMatchObject(TOO_OLD)
    await asOwner(database, (owner) =>
      sql`delete from daybook.kysely_migration where name = ${newer}`.execute(owner),
    )
  })

  it('is not ready and refuses everything once it may not read any more', async () => {
    await raise({ reader: 99 })
    await watch.look()
    expect(await ready()).toEqual({
      status: 503,
      body: { ready: false, problems: [TOO_OLD.message], degraded: [] },
    })
    const { body } = await client.send(SEARCH)
    expect(body.errors?.[0]).toMatchObject({ message: TOO_OLD.message })
    const found = await checkDatabase({ db: database.db, config: readConfig({}) })
    expect(found).toMatchObject({
      status: 'FAILED',
      message: TOO_OLD.message,
      advice: expect.stringContaining('Upgrade'),
    })
    const exported = await fetch(`${client.url}/journal/export`, {
      headers: { authorization: `Bearer ${client.key}` },
    })
    expect(exported.status).toBe(503)
    expect(await exported.json()).toMatchObject({ errors: [{ message: TOO_OLD.message }] })
  })
})

import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { type AttachedTypesense, attachTypesense } from '@daybook/typesense/testing/attach-typesense'
import { startTypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { search } from '../search.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchRequest } from '../search-request.ts'
import { type EngineHarness, startEngineHarness } from '../testing/search-engines-harness.ts'

const DATABASE = TEST_DATABASES[0]

const NOT_CONFIGURED = [{ name: 'typesense', setting: 'TYPESENSE_URL', search: null }]

const DOUBLE = { name: 'the double', start: () => startTypesenseDouble({ apiKey: 'key-of-the-double' }) }

describe('which engine answers', () => {
  let harness: EngineHarness<AttachedTypesense>
  let typesense: AttachedTypesense
  beforeAll(async () => {
    if (DATABASE === undefined) throw new Error('no database')
    harness = await startEngineHarness(
      DATABASE,
      { attach: (readModel: ReadModelHarness) => attachTypesense(readModel, DOUBLE) },
      { dimension: 16 },
    )
    typesense = harness.attached
  })
  afterAll(() => harness?.stop())

  async function filled() {
    const scope = await harness.newProject()
    await harness.remember(scope, note('the login page'), note('tokens are signed'))
    return scope
  }
  const find = (
    scope: SearchParts['scope'],
    request: Partial<SearchRequest> = {},
    parts: Partial<SearchParts> = {},
  ) =>
    search(
      { ...harness.parts(scope), ...parts },
      { query: 'login', filter: {}, mode: 'HYBRID', limit: 10, ...request },
    )

  it('is the one asked for, and AUTO is Typesense', async () => {
    const scope = await filled()
    expect(await find(scope)).toMatchObject({ engine: 'TYPESENSE', degraded: [] })
    expect(await find(scope, { engine: 'TYPESENSE' })).toMatchObject({ engine: 'TYPESENSE', degraded: [] })
    expect(await find(scope, { engine: 'POSTGRES' })).toMatchObject({ engine: 'POSTGRES', degraded: [] })
  })

  it('is Postgres where Typesense is not configured, which AUTO does not mention', async () => {
    const scope = await filled()
    expect(await find(scope, {}, { engines: NOT_CONFIGURED })).toMatchObject({
      engine: 'POSTGRES',
      degraded: [],
    })
    expect(await find(scope, { engine: 'TYPESENSE' }, { engines: NOT_CONFIGURED })).toMatchObject({
      engine: 'POSTGRES',
      degraded: [expect.stringMatching(/not configured.*answered by Postgres/)],
    })
  })

  it('is Postgres where Typesense fails, and says so from the first search on, and when the circuit is open', async () => {
    const scope = await filled()
    const own = typesense.newSlot({ probeAfterMs: 3_600_000 })
    const wanted = await find(scope, { engine: 'POSTGRES' })
    const { faults } = typesense.server
    faults?.notReady(true)
    try {
      for (const engine of ['AUTO', 'TYPESENSE', 'AUTO', 'TYPESENSE', 'AUTO'] as const) {
        const answer = await find(scope, { engine }, { engines: [own] })
        expect(answer).toMatchObject({
          engine: 'POSTGRES',
          degraded: [expect.stringMatching(/^typesense unreachable.*answered by Postgres$/)],
        })
        expect(answer.hits).toEqual(wanted.hits)
      }
    } finally {
      faults?.notReady(false)
    }
  })

  it('is not a Typesense whose index another version of Daybook made', async () => {
    const scope = await filled()
    const layout = (version: number) =>
      asOwner(harness, (trx) =>
        sql`update daybook.generations set layout_version = layout_version + ${version}
          where projection = 'typesense'`.execute(trx),
      )
    await layout(-1)
    try {
      for (const engine of ['AUTO', 'TYPESENSE'] as const)
        expect(await find(scope, { engine })).toMatchObject({
          engine: 'POSTGRES',
          degraded: [expect.stringMatching(/^typesense has no index yet that this version/)],
        })
    } finally {
      await layout(1)
    }
    expect(await find(scope)).toMatchObject({ engine: 'TYPESENSE' })
  })

  it('is not a Typesense that is behind what is asked', async () => {
    const scope = await filled()
    await harness.append(scope, rememberCommand(note('a new login')))
    // The read model has it; Typesense does not yet.
    await harness.applyToReadModel(scope)
    expect(await find(scope)).toMatchObject({ engine: 'TYPESENSE', sequence: 2 })
    expect(await find(scope, { atLeast: 3 })).toMatchObject({
      engine: 'POSTGRES',
      sequence: 3,
      degraded: [expect.stringMatching(/^typesense is behind \(at sequence 2, 3/), expect.anything()],
    })
    expect(await find(scope, { atLeast: 3, engine: 'TYPESENSE' })).toMatchObject({
      engine: 'TYPESENSE',
      sequence: 2,
      degraded: [
        expect.stringMatching(/^typesense has come to sequence 2, 3/),
        // Vectors are compared in the read model, which has that of the new one not yet.
        expect.stringMatching(/^1 memory has no vector yet/),
      ],
    })
  })

  it('is for AUTO not a Typesense that has stopped, which it takes to be after 100 events', async () => {
    const scope = await filled()
    const write = async (events: number) => {
      const commands = Array.from({ length: events }, (_, index) => rememberCommand(note(`login ${index}`)))
      await harness.append(scope, ...commands)
      await harness.applyToReadModel(scope)
    }
    await write(100)
    expect(await find(scope)).toMatchObject({ engine: 'TYPESENSE', sequence: 2 })
    await write(1)
    expect(await find(scope)).toMatchObject({ engine: 'POSTGRES', sequence: 103 })
    expect(await find(scope, { engine: 'TYPESENSE' })).toMatchObject({ engine: 'TYPESENSE', sequence: 2 })
  })
})

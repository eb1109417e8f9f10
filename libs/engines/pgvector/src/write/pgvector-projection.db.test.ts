import { eraseEvents } from '@daybook/journal/testing/erase'
import { insertSegmentPostings } from '@daybook/lexical-index/write'
import type { Command } from '@daybook/memory/commands'
import { newId } from '@daybook/memory/id'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { commandOf, generatedSteps } from '@daybook/memory/testing/generated-steps'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReadModel } from '../testing/check-read-model.ts'
import { appendRequest, type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'
import { compareMemories } from '../verify/compare-memories.ts'
import { rewriteMemories } from './rewrite-memories.ts'

/** Random histories. Each checks the whole index after every batch. */
const RUNS = Number(process.env['DAYBOOK_FUZZ_RUNS'] ?? 3)

describe.each(TEST_DATABASES)('the pgvector read model on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start })
  })
  afterAll(() => harness?.stop())

  const check = (scope: ProjectScope) => checkReadModel(scope, harness.readModel)

  it('is the fold of the journal after any commands, whatever the batches and whenever vectors come', async () => {
    const round = fc.record({
      steps: fc.array(generatedSteps(8), { minLength: 1, maxLength: 10 }),
      size: fc.integer({ min: 1, max: 12 }),
      embed: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => {
        const scope = await harness.newProject()
        const ids = Array.from({ length: 6 }, () => newId())
        const remembered = new Set<number>()
        for (const { steps, size, embed } of rounds) {
          // Refused commands leave no event.
          await harness.writer.appendMany(
            scope,
            steps
              .filter(
                (one) =>
                  one.do !== 'remember' || !(remembered.has(one.memory) || !remembered.add(one.memory)),
              )
              .map((one) => appendRequest(commandOf(ids, one))),
          )
          await harness.apply(scope, size)
          if (embed) await harness.embed()
          expect(await check(scope)).toEqual([])
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('takes several events of one memory in one batch', async () => {
    const scope = await harness.newProject()
    const id = newId()
    await harness.append(
      scope,
      rememberCommand(note('first words'), id),
      { type: 'revise', id, input: note('second words') },
      { type: 'forget', id },
      { type: 'restore', id },
    )
    await harness.apply(scope)
    expect(await check(scope)).toEqual([])
    const { rows } = await sql<{ version: number; lexemes: string }>`
      select version, lexemes::text as lexemes from ${harness.readModel.tables.memories} where memory_id = ${id}`.execute(
      harness.db,
    )
    expect(rows).toMatchObject([{ version: 4, lexemes: expect.stringMatching(/'second'/) }])
  })

  it('has nothing of a memory that was erased, however far it had come', async () => {
    const scope = await harness.newProject()
    const [before, between, after] = [newId(), newId(), newId()]
    const forgetting = (id: string): Command => ({ type: 'forget', id })
    await harness.append(
      scope,
      rememberCommand(note('secret of the first'), before),
      rememberCommand(note('neighbour'), newId()),
      rememberCommand(note('secret of the second'), between),
      { type: 'revise', id: before, input: note('secret, revised') },
    )
    await harness.apply(scope)
    await harness.embed()
    // Its posting and vector are added and removed in one batch, and are never visible.
    await harness.append(
      scope,
      forgetting(between),
      rememberCommand(note('secret of the third'), after),
      { type: 'restore', id: between },
      forgetting(before),
      forgetting(after),
      forgetting(between),
    )
    await eraseEvents(harness, scope.projectId, [1, 4, 8, 9, 10])
    await harness.apply(scope, 4)
    expect(await check(scope)).toEqual([])
    const { memories, versions, vectors } = harness.readModel.tables
    for (const table of [memories, versions, vectors]) {
      const { rows } = await sql`
        select from ${table} where memory_id = any(${[before, between, after]}::uuid[])`.execute(harness.db)
      expect(rows).toEqual([])
    }
    // The memories are as the journal says; a rebuild and a rewrite give the same.
    const compared = await compareMemories(scope, harness.readModel.generation, [before, between, after])
    expect(compared.memories.map(({ differs, wanted }) => [wanted, differs])).toEqual([
      [null, []],
      [null, []],
      [null, []],
    ])
    await rewriteMemories(scope, harness.readModel.generation, [before, between])
    expect(await check(scope)).toEqual([])
    await harness.append(scope, rememberCommand(note('goes on')))
    await harness.apply(scope)
    expect(await check(scope)).toEqual([])
  })

  it('leaves the postings alone where the words are the same', async () => {
    const scope = await harness.newProject()
    const [one, other] = await harness.remember(scope, note('keep these words'), note('change those words'))
    const places = async () => {
      const { rows } = await sql<{ place: string }>`
        select ctid::text as place from ${harness.readModel.tables.postings}
        where project_id = ${scope.projectId} and lexeme in ('keep', 'chang') order by lexeme desc`.execute(
        harness.db,
      )
      return rows.map((row) => row.place)
    }
    const before = await places()
    await harness.append(
      scope,
      { type: 'revise', id: one!.state.id, input: { importance: 9, agent: 'ada' } },
      { type: 'revise', id: other!.state.id, input: note('change those texts') },
    )
    await harness.apply(scope)
    const after = await places()
    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    expect(await check(scope)).toEqual([])
  })

  it('is right in its postings where segments end, and where they are worked over', async () => {
    const scope = await harness.newProject()
    const { lexicalStats, postings } = harness.readModel.tables
    // As if there were 3,830 memories already: the numbers run into the next segment. In the first there are 267, half of them even:
    // more than the 128 postings that stay unsorted, of the words that half of them have, too.
    await sql`insert into ${lexicalStats} values (${scope.projectId}, 0, 0, 3830)`.execute(harness.db)
    const random = fc.sample(fc.nat(299), { numRuns: 600, seed: 5 })
    const memories = Array.from({ length: 300 }, () => newId())
    const textOf = (index: number, edition: number) =>
      note(`everywhere ${index % 2 === 0 ? 'even' : 'odd'} ${'again '.repeat(edition)}word${index}`)
    await harness.append(scope, ...memories.map((id, index) => rememberCommand(textOf(index, 0), id)))
    await harness.apply(scope, 60)
    expect(await check(scope)).toEqual([])
    const sealed = await sql<{ lexeme: string }>`
      select lexeme from ${postings} where project_id = ${scope.projectId} and entries <> ''`.execute(
      harness.db,
    )
    expect(sealed.rows.map((row) => row.lexeme)).toEqual(expect.arrayContaining(['everywher', 'even', 'odd']))

    for (const [edition, size] of [1, 7, 120].entries()) {
      const chosen = [...new Set(random.splice(0, size * 2))]
      await harness.writer.appendMany(
        scope,
        chosen.map((index) =>
          appendRequest({ type: 'revise', id: memories[index]!, input: textOf(index, edition + 1) }),
        ),
      )
      await harness.apply(scope, size)
      expect(await check(scope)).toEqual([])
    }
    await harness.append(scope, ...memories.slice(0, 290).map((id) => ({ type: 'forget', id }) as const))
    await harness.apply(scope, 45)
    expect(await check(scope)).toEqual([])
    await harness.append(scope, ...memories.slice(100, 200).map((id) => ({ type: 'restore', id }) as const))
    await harness.apply(scope)
    expect(await check(scope)).toEqual([])
    await harness.append(
      scope,
      ...[...memories.slice(100, 200), ...memories.slice(290)].map((id) => ({ type: 'forget', id }) as const),
    )
    await harness.apply(scope)
    expect(await check(scope)).toEqual([])
    const left = await sql`select from ${postings} where project_id = ${scope.projectId}`.execute(harness.db)
    expect(left.rows).toEqual([])
  })

  it('makes the same postings segment by segment', async () => {
    const scope = await harness.newProject()
    const { lexicalStats, postings } = harness.readModel.tables
    await sql`insert into ${lexicalStats} values (${scope.projectId}, 0, 0, 4000)`.execute(harness.db)
    const memories = await harness.append(
      scope,
      ...Array.from({ length: 300 }, (_, index) => rememberCommand(note(`all of them, ${index % 7}`))),
    )
    await harness.append(scope, { type: 'forget', id: memories[3]!.state.id })
    await harness.apply(scope)
    await sql`delete from ${postings} where project_id = ${scope.projectId}`.execute(harness.db)
    const pages = await harness.db
      .transaction()
      .execute(async (trx) => [
        await insertSegmentPostings(trx, harness.readModel.tables, scope.projectId, 1, 4_096),
        await insertSegmentPostings(trx, harness.readModel.tables, scope.projectId, 4_097, 8_192),
      ])
    expect(await check(scope)).toEqual([])
    expect(pages.map((page) => page.memories)).toEqual([96, 203])
    const { rows } = await sql<{ total_length: number }>`
      select total_length from ${lexicalStats} where project_id = ${scope.projectId}`.execute(harness.db)
    expect(pages.reduce((sum, page) => sum + page.totalLength, 0)).toBe(rows[0]?.total_length)
    // As a rebuild does that was killed after it.
    await harness.db
      .transaction()
      .execute((trx) => insertSegmentPostings(trx, harness.readModel.tables, scope.projectId, 1, 4_096))
    expect(await check(scope)).toEqual([])
  })

  it('writes a text of the longest that a memory can hold', async () => {
    const scope = await harness.newProject()
    // More than 1 MiB of lexemes, Postgres's limit: 256 items of 1,024 different characters of four bytes.
    const files = Array.from({ length: 256 }, (_, index) =>
      Array.from({ length: 6 }, (__, part) => `${index}x${part}${'𐐨'.repeat(160)}`).join(' '),
    )
    const summary = Array.from({ length: 2_000 }, (_, index) => `${index}${'𐐨'.repeat(6)}`).join(' ')
    await harness.append(
      scope,
      rememberCommand({ content: { kind: 'stash', fields: { name: 'long', summary, files } } }),
      rememberCommand(note(Array.from({ length: 9_000 }, (_, index) => `w${index}`).join(' '))),
    )
    await harness.apply(scope)
    expect(await check(scope)).toEqual([])
  })

  it('counts each project for itself', async () => {
    const [one, other] = [await harness.newProject(), await harness.newProject()]
    await harness.remember(one, note('a shared word'), note('and another'))
    await harness.remember(other, note('a shared word'))
    expect(await check(one)).toEqual([])
    expect(await check(other)).toEqual([])
    const { rows } = await sql<{ memories: number }>`
      select memories from ${harness.readModel.tables.lexicalStats}
      where project_id in (${one.projectId}, ${other.projectId}) order by memories`.execute(harness.db)
    expect(rows.map((row) => row.memories)).toEqual([1, 2])
  })
})

/*
 * The check is a tool of tests, and is the same on both databases; above it finds nothing on either. That it finds something is shown on one: the native
 * one, where there is one, as it takes a third of the processor time.
 */
describe.each(TEST_DATABASES.slice(-1))('checkReadModel on $name', ({ start }) => {
  let harness: ReadModelHarness
  let scope: ProjectScope
  beforeAll(async () => {
    harness = await startReadModelHarness({ start })
  })
  afterAll(() => harness?.stop())

  /** Each kind of damage has a project of its own. */
  async function differencesAfter(
    damage: (tables: ReadModelHarness['readModel']['tables']) => ReturnType<typeof sql>,
  ) {
    scope = await harness.newProject()
    const [, , forgotten] = await harness.remember(scope, note('alpha beta'), note('gamma'), note('delta'))
    await harness.append(scope, { type: 'forget', id: forgotten!.state.id })
    await harness.apply(scope)
    expect(await checkReadModel(scope, harness.readModel)).toEqual([])
    await damage(harness.readModel.tables).execute(harness.db)
    return checkReadModel(scope, harness.readModel)
  }

  it.each([
    [
      'a lost posting',
      ({ postings }) =>
        sql`delete from ${postings} where project_id = ${scope.projectId} and lexeme = 'gamma'`,
      /gamma.* is missing/,
    ],
    [
      'a posting too many',
      ({ postings }) =>
        sql`insert into ${postings} (project_id, lexeme, segment, recent)
          values (${scope.projectId}, 'delta', 0, int4send((2 << 20) | (1 << 12) | 4))`,
      /delta.*3 .* should not be there/,
    ],
    [
      'a wrong frequency',
      ({ postings }) =>
        sql`update ${postings} set recent = set_byte(recent, 2, get_byte(recent, 2) + 16)
          where project_id = ${scope.projectId} and lexeme = 'gamma'`,
      /gamma.*2 \(2\/5\) should not be there/,
    ],
    [
      'a wrong length',
      ({ postings }) =>
        sql`update ${postings} set recent = set_byte(recent, 3, 9)
          where project_id = ${scope.projectId} and lexeme = 'gamma'`,
      /gamma.*\(1\/9\) should not be there/,
    ],
    [
      'a posting that was removed and is not',
      ({ postings }) =>
        sql`update ${postings} set entries = recent, recent = '', removed = recent
          where project_id = ${scope.projectId} and lexeme = 'gamma'`,
      /gamma.* is missing/,
    ],
    [
      'a removal of nothing',
      ({ postings }) =>
        sql`update ${postings} set removed = int4send(7 << 20)
          where project_id = ${scope.projectId} and lexeme = 'gamma'`,
      /gamma.*a removed posting that never was/,
    ],
    [
      'a row without postings',
      ({ postings }) =>
        sql`insert into ${postings} (project_id, lexeme, segment) values (${scope.projectId}, 'delta', 0)`,
      /delta.*a row without postings/,
    ],
    [
      'a wrong count',
      ({ lexicalStats }) =>
        sql`update ${lexicalStats} set memories = memories + 1 where project_id = ${scope.projectId}`,
      /lexical_stats/,
    ],
    [
      'a wrong total length',
      ({ lexicalStats }) =>
        sql`update ${lexicalStats} set total_length = 7 where project_id = ${scope.projectId}`,
      /lexical_stats/,
    ],
    [
      'a lost memory',
      ({ memories }) => sql`delete from ${memories} where project_id = ${scope.projectId} and number = 2`,
      /is missing from memories/,
    ],
    [
      'a stale state',
      ({ memories }) =>
        sql`update ${memories} set state = state || '{"importance": 1}' where project_id = ${scope.projectId}`,
      /has state/,
    ],
    [
      'other lexemes',
      ({ memories }) =>
        sql`update ${memories} set lexemes = '' where project_id = ${scope.projectId} and number = 2`,
      /has lexemes/,
    ],
    [
      'a lost version',
      ({ versions }) => sql`delete from ${versions} where project_id = ${scope.projectId} and sequence = 3`,
      /event 3 is missing/,
    ],
    [
      'a version that is the present one',
      ({ versions, memories }) => sql`
        insert into ${versions} select project_id, memory_id, version, sequence, content_hash from ${memories}
        where project_id = ${scope.projectId} and number = 1`,
      /event 1 is in memory_versions, but is not one of the past/,
    ],
    [
      'a memory that waits for the vector of another text',
      ({ waiting, memories }) => sql`
        insert into ${waiting} select project_id, memory_id, sha256('another') from ${memories}
        where project_id = ${scope.projectId} and number = 1`,
      /waits for a vector, but is no memory of this text/,
    ],
    [
      'a lost vector',
      ({ vectors, memories }) =>
        sql`delete from ${vectors} where memory_id in (select memory_id from ${memories} where project_id = ${scope.projectId} and number = 1)`,
      /is missing from vectors/,
    ],
    [
      'a vector of another text',
      ({ vectors, memories }) =>
        sql`update ${vectors} set embedding = (select v.embedding from ${vectors} v where v.embedding <> vectors.embedding limit 1) where memory_id in (select memory_id from ${memories} where project_id = ${scope.projectId} and number = 1)`,
      /should not be in vectors/,
    ],
  ] as [string, (tables: ReadModelHarness['readModel']['tables']) => ReturnType<typeof sql>, RegExp][])(
    'names %s',
    async (_, damage, expected) => {
      const differences = await differencesAfter(damage)
      expect(differences.join('\n')).toMatch(expected)
    },
  )
})

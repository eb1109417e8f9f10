import { DEFAULT_MODEL } from '@daybook/embeddings/models'
import type { RememberInput } from '@daybook/memory/commands'
import type { MemoryFilter } from '@daybook/memory/filter'
import { type Suspicion, settling } from '@daybook/memory/settle'
import type { Memory } from '@daybook/memory/state'
import { textOf } from '@daybook/memory/state'
import { note } from '@daybook/memory/testing/commands'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PairPlace, readSuspected } from './read-suspected.ts'

const PORT = (port: number) => `The gateway of the web shop listens on port ${port}.`

describe.each(SERVICE_DATABASES)('suspected pairs on $name', ({ start }) => {
  let harness: ReadModelHarness
  let scope: ProjectScope
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: DEFAULT_MODEL.dimension })
  })
  beforeEach(async () => {
    scope = await harness.newProject()
  })
  afterAll(() => harness?.stop())

  const remember = (...inputs: RememberInput[]) => harness.remember(scope, ...inputs)
  const read = async (
    {
      kind = null,
      filter = {},
      first = 20,
      after = null,
    }: { kind?: Suspicion | null; filter?: MemoryFilter; first?: number; after?: PairPlace | null } = {},
    where = scope,
  ) => {
    const readModel = await liveReadModel(where.db)
    const { pairs, next } = await readSuspected({ scope: where, readModel }, { kind, filter, first, after })
    const said = pairs.map(
      (pair) => `${pair.kind}: ${textOf(pair.older.state)} | ${textOf(pair.newer.state)}`,
    )
    return { pairs, next, said }
  }
  const settle = async (as: Parameters<typeof settling>[0], older: Memory, newer: Memory) => {
    await harness.append(scope, ...settling(as, older, newer))
    await harness.apply(scope)
  }

  it('are found among memories that are alike, the latest first', async () => {
    await remember(
      note(PORT(8080)),
      note('Bees dance in the hive'),
      note(PORT(8443)),
      note(PORT(8080).toUpperCase()),
    )
    const { pairs, said, next } = await read()
    expect(said).toEqual([
      `contradicts: ${PORT(8443)} | ${PORT(8080).toUpperCase()}`,
      `duplicate: ${PORT(8080)} | ${PORT(8080).toUpperCase()}`,
      `contradicts: ${PORT(8080)} | ${PORT(8443)}`,
    ])
    expect(pairs[2]).toMatchObject({ differences: [{ older: '8080', newer: '8443' }] })
    expect(pairs[1]?.similarity).toBeCloseTo(1, 3)
    expect(next).toBeNull()
    expect((await read({ kind: 'duplicate' })).said).toHaveLength(1)
  })

  it('of equally near ones are those with the latest, whatever the order of their rows', async () => {
    await remember(...Array.from({ length: 9 }, () => note(PORT(8080))))
    const { pairs } = await read({ first: 6 })
    expect(pairs.map(({ place }) => [place.later, place.earlier])).toEqual(
      [8, 7, 6, 5, 4, 3].map((earlier) => [9, earlier]),
    )
  })

  it('of one key are found without vectors, the one that happened first as the older', async () => {
    const decision = (text: string, occurredAt: string): RememberInput => ({
      content: { kind: 'decision', fields: { topic: 'state', decision: text } },
      occurredAt,
    })
    await harness.append(
      scope,
      ...[
        decision('Zustand holds client state', '2026-05-02T00:00:00Z'),
        decision('Redux holds client state', '2026-05-01T00:00:00Z'),
      ].map((input, at) => ({
        type: 'remember' as const,
        id: `0192f0c1-8a3e-7c11-9d2b-${String(at).padStart(12, scope.projectId.slice(-11))}`,
        input,
      })),
    )
    await harness.apply(scope)
    const { pairs, said } = await read()
    expect(said).toEqual([expect.stringMatching(/^replaced: .*Redux.*\|.*Zustand/su)])
    expect(pairs[0]?.similarity).toBeNull()
  })

  it('are of one project and one context', async () => {
    const other = await harness.newProject()
    await harness.remember(other, note(PORT(1)), note(PORT(2), { context: 'a' }))
    await remember(note(PORT(3)), note(PORT(4), { context: 'a' }), note(PORT(5), { context: 'a' }))
    expect((await read()).said).toEqual([`contradicts: ${PORT(4)} | ${PORT(5)}`])
    expect((await read({ filter: { context: 'b' } })).said).toEqual([])
    expect((await read({ filter: { context: 'a', kinds: ['note'] } })).said).toHaveLength(1)
    expect((await read({}, other)).said).toEqual([])
  })

  it('that are forgotten or settled are not suspected', async () => {
    const [a, b, c, d] = (await remember(note(PORT(1)), note(PORT(2)), note(PORT(3)), note(PORT(4)))) as [
      Memory,
      Memory,
      Memory,
      Memory,
    ]
    expect((await read()).said).toHaveLength(6)
    await settle('forget', a, d)
    expect((await read({ filter: { includeForgotten: true } })).said).toHaveLength(3)
    await settle('keep-both', c, d)
    expect((await read()).said).toEqual([
      `contradicts: ${PORT(2)} | ${PORT(4)}`,
      `contradicts: ${PORT(2)} | ${PORT(3)}`,
    ])
    // What supersedes it stays suspected.
    await settle('supersede', b, c)
    expect((await read()).said).toEqual([])
    await remember(note(PORT(5)))
    expect((await read()).said).toHaveLength(2)
  })

  it('come in pages, none twice and none left out', async () => {
    await remember(...[1, 2, 3, 4, 5].map((port) => note(PORT(port))))
    const all = (await read()).said
    expect(all).toHaveLength(10)
    const readModel = await liveReadModel(scope.db)
    const asked = { kind: null, filter: {}, first: 20, after: null }
    expect((await readSuspected({ scope, readModel }, asked, 0)).pairs, 'from the index').toHaveLength(10)
    for (const first of [1, 3, 4, 10]) {
      const paged: string[] = []
      let after: PairPlace | null = null
      do {
        const page = await read({ first, after })
        expect(page.said.length).toBeLessThanOrEqual(first)
        paged.push(...page.said)
        after = page.next
      } while (after !== null)
      expect(paged).toEqual(all)
    }
  })

  it('are looked for in a bounded part of the list, and the next page goes on', async () => {
    await remember(note(PORT(1)), note(PORT(2)))
    const others = Array.from({ length: 210 }, (_, at) => note(`word${at}a word${at}b word${at}c`))
    await remember(...others)
    const page = await read()
    expect(page).toMatchObject({ said: [], next: { earlier: 0 } })
    expect((await read({ after: page.next })).said).toEqual([`contradicts: ${PORT(1)} | ${PORT(2)}`])
  })
})

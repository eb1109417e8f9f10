import type { Command, RememberInput } from '@daybook/memory/commands'
import type { Memory } from '@daybook/memory/state'
import { note } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { search } from './search.ts'
import type { SearchAnswer, SearchHit, SearchRequest } from './search-request.ts'
import { COMBINATIONS, type EngineHarness, startEngineHarness } from './testing/search-engines-harness.ts'

const textOfHit = ({ memory }: Pick<SearchHit, 'memory'>) =>
  (memory.state.content as { readonly text: string }).text
const revise = (id: string, text: string): Command => ({
  type: 'revise',
  id,
  input: { content: { kind: 'note', fields: { text } } },
})

/** Searches beside revisions. */
const ROUNDS = Number(process.env['DAYBOOK_FUZZ_RUNS'] ?? 30)

describe.each(COMBINATIONS)('one search, one snapshot: $name with $database', ({ start, attach }) => {
  let harness: EngineHarness
  beforeAll(async () => {
    harness = await startEngineHarness({ start }, { attach }, { tokenBits: true })
  })
  afterAll(() => harness?.stop())

  const find = (
    scope: ProjectScope,
    request: Partial<SearchRequest>,
    beforeHits?: () => Promise<void>,
  ): Promise<SearchAnswer> =>
    search(
      { ...harness.parts(scope), ...(beforeHits !== undefined && { beforeHits }) },
      { query: 'harbour', filter: {}, mode: 'HYBRID', limit: 10, ...request },
    )
  async function filled(input: Omit<RememberInput, 'content'> = {}): Promise<[ProjectScope, Memory[]]> {
    const scope = await harness.newProject()
    return [
      scope,
      await harness.remember(
        scope,
        note('the red boat left the harbour at dawn', input),
        note('the harbour master keeps a red boat', input),
      ),
    ]
  }
  const change =
    (scope: ProjectScope, ...commands: Command[]) =>
    async () => {
      await harness.append(scope, ...commands)
      await harness.apply(scope)
      await harness.embed()
    }

  it.each<[string, Partial<SearchRequest>, (id: string) => Command]>([
    [
      'no longer passes the filter',
      { filter: { labelsAny: ['kept'] } },
      (id) => ({ type: 'revise', id, input: { labels: ['other'] } }),
    ],
    [
      'no longer has the phrase',
      { query: 'harbour "red boat"' },
      (id) => revise(id, 'a boat that is red left the harbour'),
    ],
    ['gets an excluded word', { query: 'harbour -storm' }, (id) => revise(id, 'the harbour in a storm')],
    ['no longer has the word', { mode: 'KEYWORD' }, (id) => revise(id, 'nothing of the kind')],
    ['is forgotten', {}, (id) => ({ type: 'forget', id })],
  ])('what %s between the retrievers and the last statement is not a hit', async (_, request, command) => {
    const [scope, [first, second]] = await filled({ labels: ['kept'] })
    const answer = await find(scope, request, change(scope, command(first!.state.id)))
    expect(answer.hits.map(({ memory }) => memory.state.id)).toEqual([second!.state.id])
  })

  it.each(['HYBRID', 'KEYWORD', 'SEMANTIC'] as const)(
    'in mode %s a hit revised meanwhile has the score, explanation and snippet of the version that is shown',
    async (mode) => {
      const [scope, [first]] = await filled()
      const id = first!.state.id
      const text = 'harbour, harbour, harbour: the boats of the harbour'
      const answer = await find(scope, { mode }, change(scope, revise(id, text)))
      const hit = answer.hits.find(({ memory }) => memory.state.id === id)
      expect(hit).toMatchObject({ memory: { version: 2 }, snippet: expect.stringContaining('the boats') })
      const after = await find(scope, { mode, engine: 'POSTGRES' })
      expect(answer.hits).toEqual(after.hits)
    },
  )

  it('a neighbour that is no longer a hit lifts no other memory', async () => {
    const scope = await harness.newProject()
    const context = 'talk'
    const [, told] = await harness.remember(
      scope,
      note('a question', { context }),
      note('the harbour opens at six', { context }),
      note('an answer', { context }),
    )
    const answer = await find(
      scope,
      { mode: 'KEYWORD' },
      change(scope, revise(told!.state.id, 'we open at six')),
    )
    expect(answer.hits).toEqual([])
  })

  it('what matched in a neighbour that now says something else counts for no other memory', async () => {
    const scope = await harness.newProject()
    const context = 'talk'
    await harness.remember(
      scope,
      note('when does the harbour open', { context }),
      note('the harbour opens at six', { context }),
      note('a red boat', { context }),
    )
    const request = { query: 'harbour boat', limit: 1 } as const
    const before = await find(scope, request)
    const beside = (await find(scope, { ...request, limit: 3 })).hits.at(-1)!.memory.state.id
    const answer = await find(scope, request, change(scope, revise(beside, 'nothing of the kind')))
    const after = await find(scope, { ...request, engine: 'POSTGRES' })
    expect(answer.hits).toEqual(after.hits)
    expect(answer.hits[0]?.score).not.toBe(before.hits[0]?.score)
  })

  it('under concurrent revisions every hit is what was asked for', async () => {
    const scope = await harness.newProject()
    const random = createRandom(20_261_122)
    const made = await harness.remember(
      scope,
      ...Array.from({ length: 12 }, (_, index) =>
        note(`the red boat ${index} of the harbour`, { labels: ['kept'] }),
      ),
    )
    const ids = made.map(({ state }) => state.id)
    const changes: readonly ((id: string) => Command)[] = [
      (id) => revise(id, 'the red boat of the harbour'),
      (id) => revise(id, 'the red boat of the harbour in a storm'),
      (id) => revise(id, 'the boat of the harbour is red'),
      (id) => revise(id, 'a red boat on a lake'),
      (id) => ({ type: 'revise', id, input: { labels: ['kept'] } }),
      (id) => ({ type: 'revise', id, input: { labels: ['other'] } }),
    ]
    let going = true
    const revising = (async () => {
      while (going) {
        const commands = Array.from({ length: 3 }, () =>
          changes[random(changes.length)]!(ids[random(ids.length)]!),
        )
        await change(scope, ...commands)()
      }
    })()
    const wrong: string[] = []
    let hits = 0
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const mode = round % 2 === 0 ? 'KEYWORD' : 'HYBRID'
        const answer = await find(scope, {
          mode,
          query: mode === 'KEYWORD' ? 'harbour -storm' : 'harbour "red boat" -storm',
          filter: { labelsAny: ['kept'] },
        })
        for (const hit of answer.hits) {
          hits += 1
          const text = textOfHit(hit)
          const shown = hit.snippet.replaceAll(/<\/?mark>/gu, '')
          const isRight =
            text.includes(mode === 'KEYWORD' ? 'harbour' : 'red boat') &&
            !text.includes('storm') &&
            hit.memory.state.labels.includes('kept') &&
            text.includes(shown)
          if (!isRight) wrong.push(`${mode} version ${hit.memory.version}: ${text} | ${hit.snippet}`)
        }
      }
    } finally {
      going = false
      await revising
    }
    expect({ wrong, some: hits > 0 }).toEqual({ wrong: [], some: true })
  })
})

/** Integers below a limit, the same for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

import { note } from '@daybook/memory/testing/commands'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseQuery } from '../../query/parse-query.ts'
import { queryTerms } from '../query-terms.ts'
import { closestLexemes, typosForgiven } from './closest-lexemes.ts'
import { hitCondition } from './constraint.ts'
import { lexicalRetriever } from './lexical-retriever.ts'

const noTurns = () => Promise.resolve()

describe('typosForgiven', () => {
  it.each([
    ['mast', 0],
    ['harbor', 0],
    ['lantern', 1],
    ['postgres', 1],
    ['authentcation', 2],
    ['20240511', 0],
    ['er34615', 0],
    ['straßen', 1],
  ])('in %s are %i', (lexeme, typos) => {
    expect(typosForgiven(lexeme)).toBe(typos)
  })
})

describe.each(TEST_DATABASES)('the closest lexemes on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  async function projectOf(...texts: string[]) {
    const scope = await harness.newProject()
    const memories = await harness.remember(scope, ...texts.map((text) => note(text)))
    await harness.apply(scope)
    const input = { scope, readModel: harness.readModel }
    return {
      ids: memories.map(({ state }) => state.id),
      closest: async (...words: string[]) => {
        const terms = await queryTerms(scope, harness.readModel, words.join(' '))
        const closest = await closestLexemes(input, terms, noTurns)
        return Object.fromEntries(terms.map(({ word, lexeme }) => [word, closest.get(lexeme) ?? null]))
      },
      find: async (query: string) => {
        const parsed = parseQuery(query)
        const condition = hitCondition(input.readModel.tables, {}, parsed)
        const hits = await lexicalRetriever(
          { ...input, condition, includeForgotten: false, limit: 10 },
          parsed.wanted,
          true,
        )
        return hits.map(({ memoryId }) => memoryId)
      },
    }
  }

  it('have a letter too few, too many, a wrong one, or two swapped', async () => {
    const { closest } = await projectOf('kubernetes docker lantern')
    expect(await closest('kubernets', 'dockker', 'lanturn', 'latnern', 'Lantren')).toEqual({
      kubernets: 'kubernet',
      dockker: 'docker',
      lanturn: 'lantern',
      latnern: 'lantern',
      Lantren: 'lantern',
    })
  })

  it('are near enough: nothing far away is taken, and nothing for short words', async () => {
    const { closest } = await projectOf('lantern mast compass')
    const far = ['lentils', 'mist', 'lament', 'compost', 'antern']
    expect(await closest(...far)).toEqual(Object.fromEntries(far.map((word) => [word, null])))
    expect(await closest()).toEqual({})
  })

  it('are the nearest, and of those the most frequent', async () => {
    const { closest } = await projectOf('bortandu', 'bortangu', 'bortangu again')
    expect(await closest('bortanku', 'bortandus')).toEqual({ bortanku: 'bortangu', bortandus: 'bortandu' })
  })

  it('let a misspelt word find what it meant, where no memory has it as it stands', async () => {
    const { find, ids } = await projectOf('the lantern of Bergen', 'the compass of Cork')
    expect(await find('lanturn')).toEqual([ids[0]])
    expect(await find('the lanturn of Cork')).toHaveLength(2)
    expect(await find('zeppelin')).toEqual([])
  })

  it('change nothing where the word is known, and count nothing twice', async () => {
    const { find, ids } = await projectOf('lantern', 'lanterns lanturn')
    expect(await find('lanturn')).toEqual([ids[1]])
    const exact = await projectOf('lantern by night')
    expect(await exact.find('lantern lanturn lantirn')).toEqual([exact.ids[0]])
  })

  it('belong to the project', async () => {
    await projectOf('a lantern elsewhere')
    const { find } = await projectOf('a compass')
    expect(await find('lanturn')).toEqual([])
  })
})

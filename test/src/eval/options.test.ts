import { RANKING_TERMS } from '@daybook/search/ranking/ablation'
import { describe, expect, it } from 'vitest'
import { nameOf, searchDocument, usesVectors } from './method.ts'
import { HELP, readOptions, WrongOption } from './options.ts'

describe('readOptions', () => {
  it('asks the API as it is where nothing is said', () => {
    const options = readOptions(['--data', 'x'])
    expect(options?.methods.map(nameOf)).toEqual(['HYBRID'])
    expect(searchDocument(options?.methods[0] ?? fail())).not.toMatch(/mode|engine:|ranking/u)
  })

  it('makes a method of every combination', () => {
    const options = readOptions(['--data', 'x', '--mode', 'hybrid,KEYWORD', '--ranking', 'DEFAULT,RRF'])
    expect(options?.methods.map(nameOf)).toEqual([
      'HYBRID DEFAULT',
      'HYBRID RRF',
      'KEYWORD DEFAULT',
      'KEYWORD RRF',
    ])
    expect(options?.methods.map(usesVectors)).toEqual([true, true, false, false])
    expect(searchDocument(options?.methods[3] ?? fail())).toContain(
      'limit: $limit, mode: KEYWORD, ranking: RRF)',
    )
  })

  it('asks without each term by itself, or without several together', () => {
    const named = (...without: string[]) =>
      readOptions(['x', '--mode', 'HYBRID', '--without', ...without])?.methods.map(nameOf)
    expect(named('Speaker,session+lexical')).toEqual([
      'HYBRID',
      'HYBRID without speaker',
      'HYBRID without session+lexical',
    ])
    expect(named('each')).toHaveLength(1 + RANKING_TERMS.length)
  })

  it('takes the collection with or without --data', () => {
    expect(readOptions(['folder', '--unanswerable', 'others', '--limit', '3'])).toMatchObject({
      data: 'folder',
      unanswerable: 'others',
      limit: 3,
    })
    expect(readOptions(['folder', '--peers', 'daybook, some.json'])?.peers).toEqual(['daybook', 'some.json'])
  })

  it('reads gates', () => {
    expect(readOptions(['--data', 'x', '--fail-below', 'recall@10=0.77,mrr=.5'])?.gates).toEqual([
      { measure: 'recall@10', least: 0.77 },
      { measure: 'MRR', least: 0.5 },
    ])
  })

  it.each([
    [[], 'the path of a collection is missing'],
    [['x', 'y'], 'one collection at a time, not also y'],
    [['--data', 'x', 'y'], 'one collection at a time, not also y'],
    [['x', '--without', 'luck'], `--without takes ${RANKING_TERMS.join(', ')}, or each`],
    [['x', '--peers', 'daybook', '--without', 'each'], '--without cannot be combined with --peers'],
    [['--data', 'x', '--mode', 'fuzzy'], '--mode takes HYBRID, KEYWORD, SEMANTIC'],
    [['--data', 'x', '--limit', '0'], '--limit must be a whole number'],
    [['--data', 'x', '--fail-below', 'recall@11=1'], '--fail-below takes a measure'],
    [['--data', 'x', '--fail-below', 'recall@10'], '--fail-below takes a measure'],
    [['--data', 'x', '--fail-below', 'recall@10=77'], '--fail-below takes a measure'],
    [['--daat', 'x'], "Unknown option '--daat'"],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(WrongOption)
    expect(() => readOptions(args)).toThrow(message)
  })

  it('knows every option that the help names', () => {
    expect(readOptions(['--help'])).toBeNull()
    const named = new Set(HELP.match(/(?<=^ {2})--[a-z-]+/gmu))
    expect(named.size).toBe(17)
    for (const option of named)
      expect(() => readOptions(['--data', 'x', option])).not.toThrow(/Unknown option/u)
  })
})

function fail(): never {
  throw new Error('there is no such method')
}

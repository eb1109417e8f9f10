import { TERMS, WEIGHTS } from '@daybook/search/ranking/late/terms'
import type { Collection } from '../eval/collection.ts'
import type { Place } from '../eval/daybook/evaluated-daybook.ts'
import { ID_IN_METADATA, loadMemories, untilSearchable } from '../eval/daybook/load-memories.ts'
import { startOwnDaybook } from '../eval/daybook/own-daybook.ts'
import { dataOf } from '../support/graphql.ts'
import { type Case, fitWeights, rankedBy } from './fit.ts'
import type { TransferResult } from './results.ts'

/** The terms that tell candidates of one question apart. */
const FITTED = TERMS.filter((term) => term !== 'base' && term !== 'pool')

const SEARCH = `query ($query: String!) {
  search(query: $query, limit: 100, floor: false) { hits { memory { metadata } explanation { terms { name value } } } }
}`

interface Searched {
  readonly search: {
    readonly hits: readonly {
      readonly memory: { readonly metadata: Readonly<Record<string, unknown>> }
      readonly explanation: { readonly terms: readonly { readonly name: string; readonly value: number }[] }
    }[]
  }
}

/**
 * Ranks each collection with weights that were fitted on all others. One search for each question gives the best hundred candidates
 * with the values of all terms; they are ranked again here.
 */
export async function measureTransfer(collections: readonly Collection[]): Promise<TransferResult[]> {
  const groups = collections.flatMap((collection) => collection.groups)
  const daybook = await startOwnDaybook({ groups: groups.map(({ name }) => name), embedder: 'minilm' })
  try {
    for (const group of groups) await loadMemories(daybook.place(group.name), group)
    for (const group of groups) await untilSearchable(daybook.place(group.name), true, () => {})
    const all: Case[][] = []
    for (const collection of collections) {
      const cases: Case[] = []
      for (const { name, questions } of collection.groups)
        for (const { text, relevant } of questions) {
          const candidates = await candidatesOf(daybook.place(name), text)
          if (candidates !== null) cases.push({ relevant, candidates })
        }
      all.push(cases)
    }
    const shipped = FITTED.map((term) => WEIGHTS[term])
    const onAll = fitWeights(all)
    return collections.map(({ name }, index) => {
      const cases = all[index] ?? []
      const without = fitWeights(all.filter((one) => one !== cases))
      return {
        collection: name,
        questions: cases.length,
        shipped: rankedBy(shipped, cases),
        fittedOnAll: rankedBy(onAll, cases),
        fittedWithout: rankedBy(without, cases),
      }
    })
  } finally {
    await daybook.close()
  }
}

/** @returns null where a hit has no terms: it was found by its key, or the model knows no word of the question. Then there is nothing to weigh */
async function candidatesOf(place: Place, query: string): Promise<Case['candidates'] | null> {
  const { search } = dataOf(await place.ask<Searched>({ query: SEARCH, variables: { query } }))
  if (search.hits.some(({ explanation }) => explanation.terms.length === 0)) return null
  return search.hits.map(({ memory, explanation }) => {
    const values = new Map(explanation.terms.map(({ name, value }) => [name.toLowerCase(), value]))
    return {
      id: String(memory.metadata[ID_IN_METADATA]),
      values: FITTED.map((term) => values.get(term) ?? 0),
    }
  })
}

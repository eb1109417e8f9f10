import type { ScoreTerm, TermName } from '@daybook/search/ranking/late/terms'
import { builder } from '../builder.ts'
import { enumOfWords } from './enum-of-words.ts'

const MEANINGS: Readonly<Record<TermName, string>> = {
  base: 'The same for every hit.',
  pool: 'The logarithm of how many memories could have become hits: the more, the likelier a match is an accident.',
  own: "How well the memory's own tokens match those of the question.",
  near: 'How well it matches together with the memories before and after it in its context.',
  session: 'The best such match in its context.',
  words: 'Exact words: the BM25 score as a share of what all words of the question could score.',
  vector: 'The cosine of the vectors.',
  speaker: '1 if a person named in the question speaks.',
  time: 'How near it is to a time that the question names: 1 within it, fading by days.',
  length: 'Doublings of its length beyond 64 tokens.',
}

const termName = enumOfWords('ScoreTermName', MEANINGS)

/** The type `ScoreTerm`. */
export const scoreTerm = builder.objectRef<ScoreTerm>('ScoreTerm').implement({
  description: 'A part of a score, in log-odds. contribution = weight × value.',
  fields: (t) => ({
    name: t.field({ type: termName, resolve: ({ name }) => name }),
    value: t.exposeFloat('value'),
    weight: t.exposeFloat('weight'),
    contribution: t.exposeFloat('contribution'),
  }),
})

import { builder } from '../builder.ts'

export const rankingWeights = builder.inputType('RankingWeights', {
  description: 'Weights of the ranking DEFAULT, each from 0 to 1. What is left out has its default.',
  fields: (t) => ({
    lexical: t.float({
      description: 'Of the words. Default 0.6. Only its ratio to vector counts; not both may be 0.',
    }),
    vector: t.float({ description: 'Of the meaning. Default 0.4.' }),
    neighbour: t.float({
      description:
        'What the score of the memory right before or after in the same context counts, and squared that of the one beyond. Default 0.4; 0.5 suits dialogue; 0 leaves neighbours out.',
    }),
    session: t.float({
      description: 'What the best hit of the same context counts for all hits in it. Default 0.2.',
    }),
  }),
})

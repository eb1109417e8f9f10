import { builder } from '../builder.ts'

/** The input with the weights of a ranking. */
export const rankingWeights = builder.inputType('RankingWeights', {
  description: 'Weights of the ranking DEFAULT, each from 0 to 1. Omitted ones have their default.',
  fields: (t) => ({
    lexical: t.float({
      description:
        'Weight of words. Default 0.6. Only its ratio to `vector` matters; one of the two must be above 0.',
    }),
    vector: t.float({ description: 'Weight of meaning. Default 0.4.' }),
    neighbour: t.float({
      description:
        'Weight of the memories directly before and after in the same context; those one step further have this weight squared. Default 0.4. 0.5 suits dialogue; 0 ignores neighbours.',
    }),
    session: t.float({
      description: 'Weight of the best hit of a context for all hits in that context. Default 0.2.',
    }),
  }),
})

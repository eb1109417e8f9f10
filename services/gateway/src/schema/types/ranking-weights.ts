import { builder } from '../builder.ts'

/** The input with the weights of a ranking. */
export const rankingWeights = builder.inputType('RankingWeights', {
  description:
    'Weights of the ranking DEFAULT. Omitted ones have their default. `lexical`, `vector`, `neighbour` and `session`, each from 0 to 1, belong to the ranking without token bits: one of them leaves the token bits out. `decay`, `importance` and `recency`, each from 0 to 10, count in both.',
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
    decay: t.float({
      description:
        'How much it counts when a memory was last read, found or changed. With 1 the odds of one that was not used for a long time are e times lower than those of one used just now; half of that after the half-life (DAYBOOK_HALF_LIFE). Default 0.',
    }),
    importance: t.float({
      description:
        'How much its importance counts. With 1 the odds of 10 are e times higher, those of 0 e times lower than those of 5. Default 0.',
    }),
    recency: t.float({
      description: 'The same as `decay` for when it happened, else was remembered. Default 0.',
    }),
  }),
})

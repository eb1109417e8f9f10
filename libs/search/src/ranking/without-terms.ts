import type { RankingOptions } from './options.ts'

/**
 * The options with the weights of left-out terms set to 0. The others have none there: whoever computes them
 * asks `options.without`.
 */
export function withoutTerms(options: RankingOptions): RankingOptions {
  const { without } = options
  if (without.size === 0) return options
  return {
    ...options,
    ...(without.has('lexical') && { lexicalWeight: 0 }),
    ...(without.has('vector') && { vectorWeight: 0 }),
    ...(without.has('neighbours') && { neighbourDecay: 0 }),
    ...(without.has('session') && { sessionShare: 0 }),
    ...(without.has('tokens') && { lateInteraction: false }),
  }
}

import type { Metrics } from '@daybook/runtime/metrics'

/** What a request for vectors used. */
export interface Usage {
  readonly modelId: string
  readonly tokens: number
  /** US dollars; null if the price is not known. */
  readonly cost: number | null
}

/** Adds up what providers charge for. */
export interface UsageMeter {
  add(usage: Usage): void
  /** Reports it as metrics from now on, with what was used before. */
  countIn(metrics: Metrics): void
}

/** Nothing is used yet. */
export function createUsageMeter(): UsageMeter {
  let report: ((usage: Usage) => void) | null = null
  const before: Usage[] = []
  return {
    add(usage) {
      if (report === null) before.push(usage)
      else report(usage)
    },
    countIn(metrics) {
      const tokens = metrics.counter({
        name: 'daybook_embedding_tokens_total',
        help: 'Tokens that a provider of vectors has counted, by model',
        labels: ['model'],
      })
      const cost = metrics.counter({
        name: 'daybook_embedding_cost_usd_total',
        help: 'What they cost in US dollars, by model, where the price is known',
        labels: ['model'],
      })
      report = (usage) => {
        tokens.add(usage.tokens, { model: usage.modelId })
        if (usage.cost !== null) cost.add(usage.cost, { model: usage.modelId })
      }
      for (const usage of before.splice(0)) report(usage)
    },
  }
}

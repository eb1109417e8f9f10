import { answerable, type Conversation, category } from './conversations.ts'

/** Mean share of a question's evidence among the first k hits, by k. */
export type Recall = ReadonlyMap<number, number>

export interface Evaluation {
  readonly questions: number
  readonly recall: Recall
  readonly byCategory: ReadonlyMap<number, Recall>
  /** Milliseconds a search took over HTTP: median and 95th percentile. */
  readonly latency: { readonly p50: number; readonly p95: number }
}

export interface Client {
  request<Data>(query: string, variables: object): Promise<Data>
}

const KS = [5, 10, 20] as const

const SEARCH = `query ($query: String!, $filter: MemoryFilter) {
  search(query: $query, filter: $filter, limit: 20) { degraded hits { memory { metadata } } }
}`

interface Answer {
  search: { degraded: string[]; hits: { memory: { metadata: { conversation?: number; turn?: string } } }[] }
}

/**
 * Asks every question over GraphQL.
 * @param own searches each conversation's own memories only, as the published numbers do; else all of the project
 */
export async function evaluate(
  client: Client,
  conversations: readonly Conversation[],
  own: boolean,
): Promise<Evaluation> {
  const shares: { category: number; at: Map<number, number> }[] = []
  const times: number[] = []
  for (const conversation of conversations) {
    const filter = own ? { categories: [category(conversation.conversation)] } : {}
    for (const { question, category: kind, evidence } of answerable(conversation)) {
      const started = performance.now()
      const { search } = await client.request<Answer>(SEARCH, { query: question, filter })
      times.push(performance.now() - started)
      if (search.degraded.length > 0)
        throw new Error(`the answer is not complete: ${search.degraded.join('; ')}`)
      const found = search.hits.map(({ memory: { metadata } }) =>
        metadata.conversation === conversation.conversation ? metadata.turn : undefined,
      )
      const at = new Map(
        KS.map((k) => [k, evidence.filter((id) => found.slice(0, k).includes(id)).length / evidence.length]),
      )
      shares.push({ category: kind, at })
    }
  }
  const mean = (rows: typeof shares): Recall =>
    new Map(KS.map((k) => [k, rows.reduce((sum, row) => sum + (row.at.get(k) ?? 0), 0) / rows.length]))
  const categories = [...new Set(shares.map((row) => row.category))].toSorted()
  const sorted = times.toSorted((a, b) => a - b)
  return {
    questions: shares.length,
    recall: mean(shares),
    byCategory: new Map(
      categories.map((kind) => [kind, mean(shares.filter((row) => row.category === kind))]),
    ),
    latency: {
      p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
      p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    },
  }
}

import { newTestName, type TestTypesense } from '../typesense-servers.ts'
import type { Scenario } from './scenarios.ts'

/** One answer of a server, to be compared with another server's. */
export interface Answer {
  readonly asked: string
  readonly status: number
  readonly said: unknown
}

/** A server's answers to a scenario, without parts that differ from run to run. */
export async function answersOf(
  server: Pick<TestTypesense, 'url' | 'apiKey'>,
  { schema, imports, searches }: Scenario,
): Promise<Answer[]> {
  const name = newTestName()
  const answers: Answer[] = []
  const ask = async (method: string, path: string, body?: string) => {
    const answer = await fetch(server.url + path.replace('COLLECTION', name), {
      method,
      signal: AbortSignal.timeout(4_000),
      headers: { 'x-typesense-api-key': server.apiKey },
      ...(body !== undefined && { body: body.replaceAll('COLLECTION', name) }),
    }).catch((error: unknown) => {
      throw new Error(`no answer to ${method} ${path} ${body}`, { cause: error })
    })
    const text = (await answer.text()).replaceAll(name, 'COLLECTION')
    return { asked: `${method} ${path} ${body ?? ''}`, status: answer.status, text }
  }
  const made = await ask('POST', '/collections', JSON.stringify(schema))
  answers.push({ ...made, said: steady(parsed(made.text)), ...hidden })
  if (made.status === 201) {
    for (const { action, lines } of imports) {
      const answer = await ask(
        'POST',
        `/collections/COLLECTION/documents/import?action=${action}`,
        lines.join('\n'),
      )
      answers.push({ ...answer, said: answer.text.split('\n').map(parsed).map(steady), ...hidden })
    }
    for (const search of searches) {
      const body = JSON.stringify({ searches: [{ collection: 'COLLECTION', ...search }] })
      const answer = await ask('POST', '/multi_search', body)
      answers.push({ ...answer, said: found(parsed(answer.text)), ...hidden })
    }
    const exported = await ask('GET', '/collections/COLLECTION/documents/export')
    answers.push({ ...exported, said: exported.text.split('\n').map(parsed), ...hidden })
    await ask('DELETE', '/collections/COLLECTION')
  }
  return answers
}

const hidden = { text: undefined }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Removes the creation time, and from the error of a refused line the line itself, whose keys the server
 * writes in its own order.
 */
function steady(answer: unknown): unknown {
  if (answer === null || typeof answer !== 'object') return answer
  const { created_at: _at, document: _document, error, ...rest } = answer as Record<string, unknown>
  // What its JSON library says is exact for the recorded lines alone.
  return { ...rest, ...(error !== undefined && { error: String(error).replace(/ \[json\..*$/s, '') }) }
}

interface Facet {
  readonly field_name: string
  readonly sampled: boolean
  readonly counts: readonly { readonly value: string; readonly count: number }[]
  readonly stats: { readonly total_values: number }
}

/**
 * Which documents are in a sample depends on the server's threads, and which of equal counts are shown, where not all
 * are, on the order in which it indexed an import's lines.
 */
function counts({ field_name, sampled, counts: shown, stats }: Facet): unknown {
  if (sampled) return { field_name, sampled }
  if (shown.length < stats.total_values) return { field_name, shown: shown.length }
  return { field_name, counts: shown.toSorted((left, right) => (left.value < right.value ? -1 : 1)) }
}

interface Hit {
  readonly document: unknown
  readonly text_match?: number
  readonly vector_distance?: number
}

/** The hits in their order, or the reason why there are none. */
function found(answer: unknown): unknown {
  const [result] =
    (answer as { results?: { found?: number; hits?: Hit[]; facet_counts?: Facet[]; offset?: number }[] })
      .results ?? []
  if (result?.hits === undefined) return result ?? answer
  return {
    found: result.found,
    offset: result.offset,
    facets: result.facet_counts?.map(counts),
    hits: result.hits.map(({ document, text_match, vector_distance }) => ({
      document,
      text_match,
      ...(vector_distance !== undefined && { vector_distance: vector_distance.toFixed(4) }),
    })),
  }
}

import type { Action } from './action.ts'
import { importLines } from './import-lines.ts'
import { filtered } from './match-filter.ts'
import { json, RequestFailure, text } from './reply.ts'
import type { Asked, Route } from './route.ts'
import { search } from './search.ts'

const collectionOf = ({ store, path }: Asked) => store.collection(path('collection'))
const notFound = (id: string) => new RequestFailure(404, `Could not find a document with id: ${id}`)

/**
 * The documents that match `filter_by`. @throws RequestFailure if it is empty, which would mean every
 * document
 */
function chosen(asked: Asked) {
  const filterBy = asked.query.get('filter_by') ?? ''
  if (filterBy.trim() === '') throw new RequestFailure(400, 'Parameter `filter_by` must be provided.')
  return filtered(collectionOf(asked), filterBy).all
}

/** Endpoints for documents and searches. */
export const documentRoutes: readonly Route[] = [
  {
    pattern: 'GET /collections/:collection/documents/search',
    action: 'documents:search',
    answer: (asked) => json(searchAs(asked, asked.path('collection'), Object.fromEntries(asked.query))),
  },
  {
    pattern: 'POST /multi_search',
    action: 'documents:search',
    answer(asked) {
      const { searches } = asked.body()
      if (!Array.isArray(searches)) throw new RequestFailure(400, 'Missing `searches` array.')
      const most = Number(asked.query.get('limit_multi_searches') ?? 50)
      if (searches.length > most)
        throw new RequestFailure(400, 'Number of multi searches exceeds `limit_multi_searches` parameter.')
      const common = Object.fromEntries(asked.query)
      return json({
        results: searches.map((one: Record<string, unknown>) => {
          try {
            return searchAs(asked, String(one.collection ?? common.collection), { ...common, ...one })
          } catch (error) {
            if (!(error instanceof RequestFailure)) throw error
            return { code: error.status, error: error.message }
          }
        }),
      })
    },
  },
  {
    pattern: 'POST /collections/:collection/documents/import',
    action: 'documents:import',
    answer: (asked) => text(importLines(collectionOf(asked), asked)),
  },
  {
    pattern: 'GET /collections/:collection/documents/export',
    action: 'documents:export',
    answer: (asked) =>
      text(
        filtered(collectionOf(asked), asked.query.get('filter_by') ?? '')
          .all.map(({ document }) => JSON.stringify(picked(document, asked.query)))
          .join('\n'),
      ),
  },
  {
    pattern: 'POST /collections/:collection/documents',
    action: 'documents:create',
    answer: (asked) =>
      json(collectionOf(asked).write((asked.query.get('action') ?? 'create') as Action, asked.body()), 201),
  },
  {
    pattern: 'PATCH /collections/:collection/documents',
    action: 'documents:update',
    answer(asked) {
      const collection = collectionOf(asked)
      const all = chosen(asked)
      for (const { document } of all) collection.write('update', { ...asked.body(), id: document.id })
      return json({ num_updated: all.length })
    },
  },
  {
    pattern: 'DELETE /collections/:collection/documents',
    action: 'documents:delete',
    answer(asked) {
      const collection = collectionOf(asked)
      const all = chosen(asked)
      for (const { document } of all) collection.remove(document.id)
      // The only answer that was recorded without a charset.
      return json({ num_deleted: all.length }, 200, 'application/json')
    },
  },
  {
    pattern: 'GET /collections/:collection/documents/:id',
    action: 'documents:get',
    answer(asked) {
      const found = collectionOf(asked).documents.get(asked.path('id'))
      if (found === undefined) throw notFound(asked.path('id'))
      return json(found.document)
    },
  },
  {
    pattern: 'PATCH /collections/:collection/documents/:id',
    action: 'documents:update',
    answer: (asked) => json(collectionOf(asked).write('update', { ...asked.body(), id: asked.path('id') })),
  },
  {
    pattern: 'DELETE /collections/:collection/documents/:id',
    action: 'documents:delete',
    answer(asked) {
      const id = asked.path('id')
      const removed = collectionOf(asked).remove(id)
      if (removed !== null) return json(removed)
      if (asked.query.get('ignore_not_found') !== 'true') throw notFound(id)
      return json({ id })
    },
  },
]

function searchAs(asked: Asked, name: string, given: Record<string, unknown>) {
  const { filter_by: restriction, ...embedded } = asked.embedded
  return search(asked.store.collection(name), { ...given, ...embedded }, String(restriction ?? ''))
}

function picked(
  document: Readonly<Record<string, unknown>>,
  query: URLSearchParams,
): Record<string, unknown> {
  const include = query.get('include_fields')?.split(',')
  const exclude = query.get('exclude_fields')?.split(',') ?? []
  return Object.fromEntries(
    Object.entries(document).filter(([name]) => (include?.includes(name) ?? true) && !exclude.includes(name)),
  )
}

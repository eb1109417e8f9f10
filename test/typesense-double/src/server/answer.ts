import { collectionRoutes } from './collection-routes.ts'
import { documentRoutes } from './document-routes.ts'
import type { FaultState } from './faults.ts'
import { authorise } from './keys.ts'
import { failed, json, type Reply, RequestFailure } from './reply.ts'
import { serverRoutes } from './server-routes.ts'
import type { Store } from './store.ts'

/** A request to the double. */
export interface Request {
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  readonly apiKey: string
  readonly body: string
}

const ROUTES = [...collectionRoutes, ...documentRoutes, ...serverRoutes].map((route) => {
  const [method = '', path = ''] = route.pattern.split(' ')
  return { ...route, method, segments: path.split('/') }
})

/** Answers a request as the recorded server would. */
export function answer(store: Store, adminKey: string, faults: FaultState, request: Request): Reply {
  const { pathname, searchParams: query } = new URL(request.url, 'http://double')
  if (faults.isNotReady)
    return pathname === '/health' ? json({ ok: false }, 503) : failed(503, 'Not Ready or Lagging')
  if (pathname === '/health') return json({ ok: true })
  const segments = pathname.split('/').map(decodeURIComponent)
  const route = ROUTES.find(
    (one) =>
      one.method === request.method &&
      one.segments.length === segments.length &&
      one.segments.every((segment, index) => segment.startsWith(':') || segment === segments[index]),
  )
  const path = (name: string) => segments[route?.segments.indexOf(`:${name}`) ?? -1] ?? ''
  const body = (): Record<string, unknown> => {
    try {
      return JSON.parse(request.body)
    } catch {
      throw new RequestFailure(400, 'Bad JSON.')
    }
  }
  try {
    const key = request.apiKey || (query.get('x-typesense-api-key') ?? '')
    const name = path('collection')
    const { embedded } = authorise(
      store,
      adminKey,
      key,
      route?.action ?? 'none',
      store.aliases.get(name) ?? name,
    )
    if (route === undefined) return failed(404, 'Not Found')
    return route.answer({ store, faults, query, path, body, text: request.body, embedded })
  } catch (error) {
    if (error instanceof RequestFailure) return failed(error.status, error.message)
    throw error
  }
}

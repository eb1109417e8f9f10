import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql'
import type { Context } from '../context.ts'

type Path = GraphQLResolveInfo['path']

/**
 * Lets everything below a hit be resolved in the hit's own project, where a search looked at several: with that
 * project's row security, read model and loaders. It wraps every field of every object once, when the schema is made.
 * So no resolver has to think of it, and none that is added can forget to.
 *
 * A resolver knows from its path below which hit it stands. Hits say their contexts in `Context.ofHits`.
 */
export function resolveInProject(schema: GraphQLSchema): GraphQLSchema {
  const roots = new Set<unknown>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ])
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || roots.has(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      if (resolve === undefined) continue
      field.resolve = (source, args, context: Context, info) =>
        resolve(source, args, contextAt(context, source, info.path), info)
    }
  }
  return schema
}

/** The contexts of hits, by the hit's place. All fields of an object share the path of the object. */
const places = new WeakMap<Path, Context>()

function contextAt(context: Context, source: unknown, path: Path): Context {
  if (context.ofHits.size === 0) return context
  const ofHit = context.ofHits.get(source as object)
  if (ofHit !== undefined && path.prev !== undefined) places.set(path.prev, ofHit)
  for (let place: Path | undefined = path.prev; place !== undefined; place = place.prev) {
    const found = places.get(place)
    if (found !== undefined) return found
  }
  return context
}

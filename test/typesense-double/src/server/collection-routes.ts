import { type Collection, createCollection } from './collection.ts'
import { failed, json, RequestFailure } from './reply.ts'
import type { Route } from './route.ts'
import { readSchema } from './schema.ts'

const described = ({ schema, createdAt, documents }: Collection, withFields = true) => ({
  created_at: createdAt,
  default_sorting_field: schema.default_sorting_field,
  enable_nested_fields: schema.enable_nested_fields,
  ...(withFields ? { fields: schema.fields } : {}),
  ...(schema.metadata === undefined ? {} : { metadata: schema.metadata }),
  name: schema.name,
  num_documents: documents.size,
  symbols_to_index: schema.symbols_to_index,
  token_separators: schema.token_separators,
})

/** Endpoints for collections and aliases. */
export const collectionRoutes: readonly Route[] = [
  {
    pattern: 'GET /collections',
    action: 'collections:list',
    answer: ({ store, query }) =>
      json(
        [...store.collections.values()]
          .toReversed()
          .map((one) => described(one, !(query.get('exclude_fields') ?? '').split(',').includes('fields'))),
      ),
  },
  {
    pattern: 'POST /collections',
    action: 'collections:create',
    answer({ store, body }) {
      const schema = readSchema(body())
      if (store.collections.has(schema.name))
        return failed(409, `A collection with name \`${schema.name}\` already exists.`)
      const collection = createCollection(schema, Math.floor(Date.now() / 1000))
      store.collections.set(schema.name, collection)
      return json(described(collection), 201)
    },
  },
  {
    pattern: 'GET /collections/:collection',
    action: 'collections:get',
    answer: ({ store, path }) => json(described(store.collection(path('collection')))),
  },
  {
    // An alias is followed here too: the collection behind it is deleted.
    pattern: 'DELETE /collections/:collection',
    action: 'collections:delete',
    answer({ store, path }) {
      const collection = store.collection(path('collection'))
      store.collections.delete(collection.schema.name)
      return json(described(collection))
    },
  },
  {
    pattern: 'GET /aliases',
    action: 'aliases:list',
    answer: ({ store }) =>
      json({
        aliases: [...store.aliases]
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .map(([name, collection_name]) => ({ collection_name, name })),
      }),
  },
  {
    pattern: 'GET /aliases/:alias',
    action: 'aliases:get',
    answer({ store, path }) {
      const name = path('alias')
      const collection_name = store.aliases.get(name)
      if (collection_name === undefined) throw new RequestFailure(404, 'Collection not found')
      return json({ collection_name, name })
    },
  },
  {
    pattern: 'PUT /aliases/:alias',
    action: 'aliases:create',
    answer({ store, path, body }) {
      const name = path('alias')
      const { collection_name } = body()
      if (typeof collection_name !== 'string') return failed(400, 'Parameter `collection_name` is required.')
      if (store.collections.has(name))
        return failed(500, `Name \`${name}\` conflicts with an existing collection name.`)
      store.aliases.set(name, collection_name)
      return json({ collection_name, name })
    },
  },
  {
    pattern: 'DELETE /aliases/:alias',
    action: 'aliases:delete',
    answer({ store, path }) {
      const name = path('alias')
      const collection_name = store.aliases.get(name)
      if (collection_name === undefined) throw new RequestFailure(404, 'Collection not found')
      store.aliases.delete(name)
      return json({ collection_name, name })
    },
  },
]

import { expect, it } from 'vitest'
import type { Embedder } from './embedder.ts'
import { createHashEmbedder } from './hash-embedder.ts'
import { rememberQueries } from './remember-queries.ts'

/** @param failing how many calls fail first */
function counting(failing = 0): { embedder: Embedder; asked: string[][] } {
  const inner = createHashEmbedder({ dimension: 16 })
  const asked: string[][] = []
  let left = failing
  return {
    asked,
    embedder: {
      ...inner,
      async embed(texts, options) {
        asked.push([...texts])
        left -= 1
        if (left >= 0) throw new Error('away')
        return inner.embed(texts, options)
      },
    },
  }
}

const query = { priority: 'query', projectId: 'one' } as const

it('embeds a query once, also when it is asked twice at the same moment', async () => {
  const { embedder, asked } = counting()
  const remembering = rememberQueries(embedder)
  const [one, other] = await Promise.all([
    remembering.embed(['token security'], query),
    remembering.embed(['token security'], query),
  ])
  const again = await remembering.embed(['token security'], query)
  expect(asked).toEqual([['token security']])
  expect(other).toEqual(one)
  expect(again).toEqual(await embedder.embed(['token security'], query))
  await remembering.embed(['another'], query)
  expect(asked.at(-1)).toEqual(['another'])
})

it('remembers no bulk texts and no failures', async () => {
  const { embedder, asked } = counting(1)
  const remembering = rememberQueries(embedder)
  await expect(remembering.embed(['query'], query)).rejects.toThrow('away')
  await remembering.embed(['query'], query)
  expect(asked).toHaveLength(2)
  await remembering.embed(['query'])
  await remembering.embed(['one', 'two'], query)
  await remembering.embed(['one', 'two'], query)
  expect(asked).toHaveLength(5)
})

it('C10: a query that one project has asked is embedded anew for another', async () => {
  const { embedder, asked } = counting()
  const remembering = rememberQueries(embedder)
  const other = { ...query, projectId: 'other' }
  await Promise.all([
    remembering.embed(['token security'], query),
    remembering.embed(['token security'], other),
  ])
  expect(asked).toHaveLength(2)
  await remembering.embed(['token security'], query)
  await remembering.embed(['token security'], other)
  expect(asked).toHaveLength(2)
  await remembering.embed(['token security'], { priority: 'query' })
  expect(asked, 'of nobody').toHaveLength(3)
})

import { expect, it } from 'vitest'
import type { Embedder } from './embedder.ts'
import { createHashEmbedder } from './hash-embedder.ts'
import { rememberQueries } from './remember-queries.ts'

/** @param failing how many calls fail first */
function counting(failing = 0): { embedder: Embedder; asked: string[] } {
  const inner = createHashEmbedder({ dimension: 16 })
  const asked: string[] = []
  let left = failing
  return {
    asked,
    embedder: {
      ...inner,
      async embedQuery(text, options) {
        asked.push(text)
        left -= 1
        if (left >= 0) throw new Error('away')
        return inner.embedQuery(text, options)
      },
    },
  }
}

const query = { projectId: 'one' }

it('embeds a query once, also when it is asked twice at the same moment', async () => {
  const { embedder, asked } = counting()
  const remembering = rememberQueries(embedder)
  const [one, other] = await Promise.all([
    remembering.embedQuery('token security', query),
    remembering.embedQuery('token security', query),
  ])
  const again = await remembering.embedQuery('token security', query)
  expect(asked).toEqual(['token security'])
  expect(other).toEqual(one)
  expect(again).toEqual(await embedder.embedQuery('token security', query))
  await remembering.embedQuery('another', query)
  expect(asked.at(-1)).toBe('another')
})

it('remembers no failures, and nothing without a project', async () => {
  const { embedder, asked } = counting(1)
  const remembering = rememberQueries(embedder)
  await expect(remembering.embedQuery('query', query)).rejects.toThrow('away')
  await remembering.embedQuery('query', query)
  expect(asked).toHaveLength(2)
  await remembering.embedQuery('query')
  expect(asked).toHaveLength(3)
})

it('a query that one project has asked is embedded again for another', async () => {
  const { embedder, asked } = counting()
  const remembering = rememberQueries(embedder)
  const other = { projectId: 'other' }
  await Promise.all([
    remembering.embedQuery('token security', query),
    remembering.embedQuery('token security', other),
  ])
  expect(asked).toHaveLength(2)
  await remembering.embedQuery('token security', query)
  await remembering.embedQuery('token security', other)
  expect(asked).toHaveLength(2)
  await remembering.embedQuery('token security')
  expect(asked, 'of nobody').toHaveLength(3)
})

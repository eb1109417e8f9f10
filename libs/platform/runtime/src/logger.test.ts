import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { withLogFields } from './logger.ts'
import { createMemoryLogger } from './testing/memory-logger.ts'

describe('the fields of a request', () => {
  it('are on every line of its work, and on no other', async () => {
    const { logger, lines } = createMemoryLogger()
    const work = async (correlationId: string) =>
      withLogFields({ correlationId }, async () => {
        await sleep(1)
        logger.info(`of ${correlationId}`)
      })
    logger.info('before')
    await Promise.all([work('one'), work('two')])
    logger.info('after')
    const told = lines.map((line) => [line['msg'], line['correlationId']])
    expect(told.slice(1, 3).toSorted()).toEqual([
      ['of one', 'one'],
      ['of two', 'two'],
    ])
    expect([told[0], told[3]]).toEqual([
      ['before', undefined],
      ['after', undefined],
    ])
  })
})

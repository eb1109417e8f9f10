import { expect, it } from 'vitest'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

it('lets others have the event loop after the span, and not before', async () => {
  const order: string[] = []
  const other = () => setImmediate(() => order.push('the other'))
  const long = yieldToEventLoop(60_000)
  other()
  await long()
  order.push('within the span')
  await yieldToEventLoop(0)()
  order.push('after it')
  expect(order).toEqual(['within the span', 'the other', 'after it'])
})

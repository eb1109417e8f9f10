import { expect, it, test } from 'vitest'
import { withTimeout, yieldToEventLoop } from './timers.ts'

test('what comes in time comes through, failures too', async () => {
  await expect(withTimeout(10_000, Promise.resolve('here'))).resolves.toBe('here')
  await expect(withTimeout(10_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('what never comes is given up, and fails later without harm', async () => {
  let fail: (error: Error) => void = () => {}
  const never = new Promise((_, reject) => {
    fail = reject
  })
  await expect(withTimeout(1, never)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  fail(new Error('too late'))
})

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

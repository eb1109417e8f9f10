import { expect, test } from 'vitest'
import { withTimeout } from './with-timeout.ts'

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

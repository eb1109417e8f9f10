import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openInBrowser } from '../commands/console.ts'

// Its second passes only when the test lets it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('says whether a browser was opened', async () => {
  expect(await openInBrowser('http://x', [process.execPath, '-e', ''])).toBe(true)
  const opened = openInBrowser('http://x', [process.execPath, '-e', 'setTimeout(() => {}, 1_500)'])
  vi.advanceTimersByTime(1_000)
  expect(await opened).toBe(true)
  expect(await openInBrowser('http://x', [process.execPath, '-e', 'process.exit(3)'])).toBe(false)
  expect(await openInBrowser('http://x', ['/no/such/browser'])).toBe(false)
})

import { expect, test } from 'vitest'
import { openInBrowser } from './open-in-browser.ts'

test('says whether a browser was opened', async () => {
  expect(await openInBrowser('http://x', [process.execPath, '-e', ''])).toBe(true)
  expect(await openInBrowser('http://x', [process.execPath, '-e', 'setTimeout(() => {}, 1_500)'])).toBe(true)
  expect(await openInBrowser('http://x', [process.execPath, '-e', 'process.exit(3)'])).toBe(false)
  expect(await openInBrowser('http://x', ['/no/such/browser'])).toBe(false)
})

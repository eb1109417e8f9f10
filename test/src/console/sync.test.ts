import { describe } from 'vitest'
import { syncJourneys } from './journeys/sync.ts'
import { CHROMIUM } from './support/chromium.ts'
import { useConsole } from './support/console-suite.ts'

/* The console of a Daybook that follows another one. It is apart because it takes a second daemon. */
describe.skipIf(CHROMIUM === null)('the console of a follower', () => {
  syncJourneys(useConsole())
})

import { needing } from '@daybook/runtime/testing/needing'
import { syncJourneys } from './journeys/sync.ts'
import { BROWSER } from './support/chromium.ts'
import { useConsole } from './support/console-suite.ts'

/* The console of a Daybook that follows another one. It is apart because it takes a second daemon. */
needing(BROWSER).describe('the console of a follower', () => {
  syncJourneys(useConsole())
})

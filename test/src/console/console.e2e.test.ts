import { needing } from '@daybook/runtime/testing/needing'
import { appearanceJourneys } from './journeys/appearance.ts'
import { firstRunJourneys } from './journeys/first-run.ts'
import { journalJourneys } from './journeys/journal.ts'
import { keysJourneys } from './journeys/keys.ts'
import { loginJourneys } from './journeys/login.ts'
import { mapJourneys } from './journeys/map.ts'
import { memoryJourneys } from './journeys/memory.ts'
import { operationsJourneys } from './journeys/operations.ts'
import { reviewJourneys } from './journeys/review.ts'
import { searchJourneys } from './journeys/search.ts'
import { securityJourneys } from './journeys/security.ts'
import { undoJourneys } from './journeys/undo.ts'
import { BROWSER } from './support/chromium.ts'
import { useConsole } from './support/console-suite.ts'

/*
 * The web console in a real browser. All journeys share one daemon and one browser; each has a project of its own. A page
 * that throws, breaks its Content-Security-Policy or asks another host fails its journey.
 */
needing(BROWSER).describe('the console', () => {
  const suite = useConsole()
  loginJourneys(suite)
  searchJourneys(suite)
  firstRunJourneys(suite)
  memoryJourneys(suite)
  journalJourneys(suite)
  reviewJourneys(suite)
  undoJourneys(suite)
  operationsJourneys(suite)
  keysJourneys(suite)
  securityJourneys(suite)
  appearanceJourneys(suite)
  mapJourneys(suite)
})

import type { ConflictRule, FollowedProject } from '../api/sync.ts'
import type { Tone } from '../components/badge.tsx'

/** What a state of a followed project means, and what becomes of it. */
interface StateMeaning {
  readonly tone: Tone
  readonly word: string
  readonly meaning: string
}

/** All states. */
const STATES: Readonly<Record<FollowedProject['state'], StateMeaning>> = {
  CONNECTED: {
    tone: 'good',
    word: 'connected',
    meaning: 'Everything that the home has is here. What is written here goes to the home.',
  },
  COPYING: {
    tone: 'busy',
    word: 'copying',
    meaning: 'The home’s events are being copied. What is here already can be read and searched.',
  },
  OFFLINE: {
    tone: 'warning',
    word: 'offline',
    meaning:
      'The home does not answer; it is tried again by itself. Reads and searches go on with what is here, and what is written waits here until the home is back.',
  },
  REFUSED: {
    tone: 'bad',
    word: 'refused',
    meaning: 'The home refuses this Daybook, so nothing can be written here. Follow it with another key.',
  },
  MOVED: {
    tone: 'bad',
    word: 'moved',
    meaning:
      'The project has its home elsewhere now. The former home passes everything on, as long as it is there. Follow the new one.',
  },
  PAUSED: {
    tone: 'neutral',
    word: 'paused',
    meaning: 'Nothing is copied or sent until you resume it. What is written waits here.',
  },
  STOPPED: {
    tone: 'bad',
    word: 'stopped',
    meaning: 'No process follows the project: start the sync service (npm run start:sync).',
  },
}

/** What is to be known about the state that a followed project is in. */
export const stateOf = ({ state }: Pick<FollowedProject, 'state'>): StateMeaning => STATES[state]

/** How conflicts are resolved, the default first. */
export const RULES: readonly {
  readonly rule: ConflictRule
  readonly name: string
  readonly meaning: string
}[] = [
  {
    rule: 'LATEST_WINS',
    name: 'the latest wins',
    meaning: 'The latest wins; both are in the history',
  },
  { rule: 'ASK', name: 'ask me', meaning: 'Ask me; the change waits until then' },
]

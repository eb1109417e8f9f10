import type { Projection } from '../api/projections.ts'
import type { Tone } from '../components/badge.tsx'

/** What a projection's state means, and what becomes of it. */
interface State {
  readonly tone: Tone
  readonly meaning: string | null
}

const STATES: Readonly<Record<string, State>> = {
  live: { tone: 'good', meaning: null },
  rebuilding: { tone: 'busy', meaning: null },
  stopped: {
    tone: 'bad',
    meaning: 'It is behind, and has made no progress for half a minute. The log of its projector says why.',
  },
  diverged: {
    tone: 'bad',
    meaning:
      'It has applied events that the journal has lost, as in a failover. It goes back to the last common event by itself.',
  },
  unreachable: { tone: 'bad', meaning: 'Its server does not answer. Searches use another engine meanwhile.' },
  unusable: {
    tone: 'bad',
    meaning: 'Its tables are missing or have another version. It is being rebuilt by itself.',
  },
}

/** What is to be known about the state that a projection is in. */
export const stateOf = ({ status }: Projection): State => STATES[status] ?? { tone: 'warning', meaning: null }

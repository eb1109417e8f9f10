/** Memories that the journeys of the search look for: texts apart, kinds and labels to filter by. */
export const REMEMBERED = [
  {
    content: {
      insight: {
        key: 'jwt-validation',
        content: 'Always validate the expiration of a token before trusting it',
      },
    },
    labels: ['security', 'auth'],
    agent: 'reviewer',
    context: 'shop',
  },
  {
    content: {
      note: { text: 'The release train leaves on Mondays; a token of the build farm expires weekly' },
    },
    labels: ['operations'],
    agent: 'operator',
    context: 'shop',
  },
  {
    content: {
      note: {
        text: 'Markup is text: <img src=x onerror="document.title=1"> and <script>alert(1)</script> token',
      },
    },
    labels: ['security'],
    context: 'strangers',
  },
  {
    content: { decision: { topic: 'database', decision: 'Postgres keeps rows and vectors together' } },
    labels: ['architecture'],
    agent: 'planner',
    context: 'shop',
  },
]

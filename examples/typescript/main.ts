import { createClient, DaybookClientError } from 'daybook/client'

const client = createClient({
  url: process.env['DAYBOOK_URL'] ?? 'http://127.0.0.1:4000',
  apiKey: process.env['DAYBOOK_API_KEY'] ?? '',
  context: 'shop',
  agent: 'example',
})

// A change is sent again if the connection breaks, and takes effect once. Its answer is the receipt.
const decision = await client.remember({
  content: { decision: { topic: 'queue', decision: 'NATS JetStream', reasoning: 'Small and fast' } },
  importance: 8,
})
console.log(`event ${decision.sequence}: ${decision.id}`)

// Reads include what this client wrote.
const { hits } = await client.search('which message broker did we choose?', { limit: 3 })
for (const { score, memory } of hits) console.log(score.toFixed(2), memory.title)

// Of two who change the same version, one is told.
await client.revise(decision.id, { labels: ['architecture'] }, { expectedVersion: 1 })
try {
  await client.revise(decision.id, { labels: ['infrastructure'] }, { expectedVersion: 1 })
} catch (error) {
  if (!(error instanceof DaybookClientError)) throw error
  console.log(error.code)
}

// The journal, from that event on: each event once and in order, then live.
for await (const event of client.events({ after: { sequence: decision.sequence, hash: decision.hash } })) {
  console.log(`event ${event.sequence}: ${event.type}`)
  break
}

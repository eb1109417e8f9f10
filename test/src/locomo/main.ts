import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConversations, toRememberInputs } from './conversations.ts'
import { type Client, type Evaluation, evaluate } from './evaluate.ts'

/*
 * npm run -s eval:locomo -- jsonl  > locomo.jsonl     the conversations as lines for `daybook import`
 * npm run -s eval:locomo -- recall                    the recall of their questions' evidence, over GraphQL
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', default: '../shared/locomo' },
    url: { type: 'string', default: process.env['DAYBOOK_URL'] ?? 'http://127.0.0.1:4000' },
    'data-dir': { type: 'string', default: process.env['DAYBOOK_DATA_DIR'] ?? '.daybook' },
  },
})

function connect(): Client {
  const key =
    process.env['DAYBOOK_API_KEY'] ?? readFileSync(join(values['data-dir'], 'api-key'), 'utf8').trim()
  return {
    async request<Data>(query: string, variables: object) {
      const response = await fetch(`${values.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] }
      if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join('; '))
      return data
    },
  }
}

const line = (name: string, recall: Evaluation['recall']) =>
  `  ${name.padEnd(24)}${[...recall].map(([k, value]) => `@${k} ${value.toFixed(3)}`).join('   ')}`

async function printRecall(): Promise<void> {
  const client = connect()
  const conversations = readConversations(values.data)
  for (const own of [false, true]) {
    const result = await evaluate(client, conversations, own)
    console.log(
      `${own ? 'Each conversation searched by itself' : 'All conversations searched together'}, ${result.questions} questions`,
    )
    console.log(line('evidence recall', result.recall))
    for (const [kind, recall] of result.byCategory) console.log(line(`  category ${kind}`, recall))
    console.log(
      `  latency over HTTP       p50 ${result.latency.p50.toFixed(1)} ms   p95 ${result.latency.p95.toFixed(1)} ms\n`,
    )
  }
}

if (!existsSync(values.data)) {
  console.error(
    `There are no conversations at ${values.data}. LoCoMo is for research use and not part of this repository; give its folder with --data.`,
  )
  process.exit(1)
}
if (positionals[0] === 'jsonl') {
  for (const conversation of readConversations(values.data))
    for (const input of toRememberInputs(conversation)) console.log(JSON.stringify(input))
} else if (positionals[0] === 'recall') await printRecall()
else {
  console.error('Say what to do: jsonl or recall')
  process.exit(2)
}

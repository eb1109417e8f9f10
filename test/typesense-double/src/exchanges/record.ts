import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { answersOf } from '../server/answers-of.ts'
import { STRICT } from './strict.ts'

/*
 * Sends the scenarios of `strict.ts` to the real server at TYPESENSE_URL, with TYPESENSE_API_KEY, and writes
 * its answers to `strict.json`:
 *
 *   npx tsx test/typesense-double/src/exchanges/record.ts
 */
const { TYPESENSE_URL: url, TYPESENSE_API_KEY: apiKey } = process.env
if (url === undefined || apiKey === undefined) throw new Error('Set TYPESENSE_URL and TYPESENSE_API_KEY')
const recorded: Record<string, unknown> = {}
for (const [name, scenario] of Object.entries(STRICT))
  recorded[name] = await answersOf({ url, apiKey }, scenario)
writeFileSync(
  fileURLToPath(new URL('strict.json', import.meta.url)),
  `${JSON.stringify(recorded, null, 2)}\n`,
)

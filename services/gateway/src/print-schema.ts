import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './schema/index.ts'

/* Writes the printed schema beside the sources; with --check says whether the committed one is up to date. */

const file = fileURLToPath(new URL('../schema.graphql', import.meta.url))
const printed = `${printSchema(lexicographicSortSchema(schema))}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== printed) {
    console.error(
      'services/gateway/schema.graphql is not what the code serves: run `npm run schema` and commit it',
    )
    process.exit(1)
  }
  console.log('services/gateway/schema.graphql is up to date')
} else {
  writeFileSync(file, printed)
  console.log(`wrote ${file}`)
}

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { minifyIntrospection, preprocessIntrospection } from 'gql.tada/internal'
import { type GraphQLEnumType, introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './schema/index.ts'

/*
 * Writes the printed schema beside the sources, and its types for client documents (libs/api). With --check
 * it only says whether the committed files are up to date.
 */

const REPOSITORY = new URL('../../../', import.meta.url)
const sorted = lexicographicSortSchema(schema)

const introspection = minifyIntrospection(
  introspectionFromSchema(sorted, { descriptions: false, oneOf: true }),
)

const projectionNames = (schema.getType('ProjectionName') as GraphQLEnumType)
  .getValues()
  .map(({ name }) => name)

const WRITTEN: Readonly<Record<string, string>> = {
  'services/gateway/schema.graphql': `${printSchema(sorted)}\n`,
  // In the shape that gql.tada needs. Otherwise the type checker would compute it from an introspection at
  // every run.
  'libs/api/src/schema.d.ts': `/* The schema as a type, written by \`npm run schema\`. */\nexport type Schema = ${preprocessIntrospection(introspection)}\n`,
  'libs/api/src/projection-names.ts': `/* The projections that the API knows, written by \`npm run schema\`. */\nexport const PROJECTION_NAMES = [${projectionNames.map((name) => `'${name}'`).join(', ')}] as const\n`,
}

for (const [path, content] of Object.entries(WRITTEN)) {
  const file = fileURLToPath(new URL(path, REPOSITORY))
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content)
    console.log(`wrote ${file}`)
  } else if (readFileSync(file, 'utf8') === content) console.log(`${path} is up to date`)
  else {
    console.error(`${path} is not what the code serves: run \`npm run schema\` and commit it`)
    process.exitCode = 1
  }
}

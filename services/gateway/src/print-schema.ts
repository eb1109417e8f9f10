import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { minifyIntrospection, preprocessIntrospection } from 'gql.tada/internal'
import {
  type GraphQLEnumType,
  getNamedType,
  introspectionFromSchema,
  isUnionType,
  lexicographicSortSchema,
  OperationTypeNode,
  printSchema,
} from 'graphql'
import { schema } from './schema/index.ts'

/*
 * Writes the printed schema beside the sources, and for clients (libs/api) its types and its operations. With --check
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

const inBrackets = (texts: readonly string[]) => (texts.length === 0 ? '' : `(${texts.join(', ')})`)

function printOperations(operation: OperationTypeNode): string {
  const lines = Object.values(sorted.getRootType(operation)?.getFields() ?? {}).map(
    ({ name, args, type }) => {
      const variables = inBrackets(args.map((one) => `$${one.name}: ${one.type}`))
      const given = inBrackets(args.map((one) => `${one.name}: $${one.name}`))
      const alias = operation === 'mutation' ? 'result: ' : ''
      const head = `${operation} ${name[0]?.toUpperCase()}${name.slice(1)}${variables} { ${alias}${name}${given}`
      const named = getNamedType(type)
      const members = operation === 'mutation' && isUnionType(named) ? named.getTypes() : []
      const success = members.find((one) => one.getInterfaces().every((face) => face.name !== 'DaybookError'))
      // Marked as pure, so that bundlers leave out those that nobody uses.
      return success === undefined
        ? `export const ${name} = /* @__PURE__ */ rootField('${head}')`
        : `export const ${name} = /* @__PURE__ */ fallibleField('${head} { __typename ... on ${success.name}')`
    },
  )
  const makers = operation === 'mutation' ? 'fallibleField, rootField' : 'rootField'
  return `/* A function for each field, from what is selected of its result to the document. Written by \`npm run schema\`. */
import { ${makers} } from './root-field.ts'

${lines.join('\n')}
`
}

const WRITTEN: Readonly<Record<string, string>> = {
  'services/gateway/schema.graphql': `${printSchema(sorted)}\n`,
  // In the shape that gql.tada needs. Otherwise the type checker would compute it from an introspection at
  // every run.
  'libs/api/src/schema.d.ts': `/* The schema as a type, written by \`npm run schema\`. */\nexport type Schema = ${preprocessIntrospection(introspection)}\n`,
  'libs/api/src/queries.ts': printOperations(OperationTypeNode.QUERY),
  'libs/api/src/mutations.ts': printOperations(OperationTypeNode.MUTATION),
  'libs/api/src/subscriptions.ts': printOperations(OperationTypeNode.SUBSCRIPTION),
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

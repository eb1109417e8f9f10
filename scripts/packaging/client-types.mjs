import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { buildSchema, isEnumType, isInputObjectType, isListType, isNonNullType, isScalarType } from 'graphql'
import { REPOSITORY } from '../repository.mjs'

/** The TypeScript types of scalars. */
const SCALARS = {
  Boolean: 'boolean',
  DateTime: 'string',
  Float: 'number',
  ID: 'string',
  Int: 'number',
  JSON: 'Readonly<Record<string, unknown>>',
  JSONValue: 'unknown',
  String: 'string',
}

/**
 * What the declarations of the client take from `@daybook/api` and gql.tada, which infers types from the whole schema in
 * the type checker: nobody else's has to do that again.
 */
const COMMON = `/** An operation with the types of its result and its variables. */
export interface GraphQLDocument<Result = unknown, Variables = never> {
  readonly __apiType?: (variables: Variables) => Result
}
export type TadaDocumentNode<Result, Variables, _Decoration = unknown> = GraphQLDocument<Result, Variables>
export type ResultOf<Document> = Document extends GraphQLDocument<infer Result, any> ? Result : never
export type VariablesOf<Document> = Document extends GraphQLDocument<any, infer Variables> ? Variables : never
export type ReadonlyInput<T> = T extends readonly (infer One)[]
  ? readonly ReadonlyInput<One>[]
  : T extends object
    ? { readonly [Name in keyof T]: ReadonlyInput<T[Name]> | ({} extends Pick<T, Name> ? undefined : never) }
    : T
export interface Failure {
  readonly code: string
  readonly message: string
}
export declare const events: <Selection extends string>(selection: Selection) => GraphQLDocument<unknown, object>
/** An input, enum or scalar of the API. */
export type InputOf<Name extends keyof Inputs> = Inputs[Name]
`

/** The API's inputs, enums and scalars, by name. @param sdl the schema */
function inputsOf(sdl) {
  const orNull = (type) => (isNonNullType(type) ? whole(type.ofType) : `${whole(type)} | null`)
  const whole = (type) =>
    isListType(type) ? `readonly (${orNull(type.ofType)})[]` : `Inputs['${type.name}']`
  const field = ({ name, type, defaultValue }) =>
    isNonNullType(type) && defaultValue === undefined
      ? `readonly ${name}: ${orNull(type)}`
      : `readonly ${name}?: ${orNull(type)} | undefined`
  const typeOf = (type) => {
    if (isScalarType(type)) return SCALARS[type.name] ?? 'unknown'
    if (isEnumType(type))
      return type
        .getValues()
        .map(({ name }) => `'${name}'`)
        .join(' | ')
    return `{ ${Object.values(type.getFields()).map(field).join('; ')} }`
  }
  const types = Object.values(buildSchema(sdl).getTypeMap()).filter(
    (type) =>
      !type.name.startsWith('__') && (isScalarType(type) || isEnumType(type) || isInputObjectType(type)),
  )
  return `export interface Inputs {\n${types.map((type) => `  ${type.name}: ${typeOf(type)}\n`).join('')}}\n`
}

/** An import in a declaration. */
const IMPORT = /(?<=from |import\()(["'])([^"']+)\1/gu

/** Writes the declarations of the client's three entries into a folder, each where its source is in `libs/client/src`. */
export function writeClientTypes(target) {
  mkdirSync(join(REPOSITORY, 'dist'), { recursive: true })
  const made = mkdtempSync(join(REPOSITORY, 'dist/types-'))
  try {
    const source = join(REPOSITORY, 'libs/client/src')
    const entries = ['index.ts', 'ai/index.ts', 'langgraph/index.ts']
    writeFileSync(
      join(made, 'tsconfig.json'),
      JSON.stringify({
        extends: join(REPOSITORY, 'tsconfig.base.json'),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          rootDir: join(REPOSITORY, 'libs'),
          outDir: made,
        },
        files: entries.map((entry) => join(source, entry)),
      }),
    )
    const compiler = join(REPOSITORY, 'node_modules/typescript-7/bin/tsc')
    execFileSync(process.execPath, [compiler, '--checkers', '1', '-p', made], {
      cwd: REPOSITORY,
      stdio: 'inherit',
    })
    cpSync(join(made, 'client/src'), target, { recursive: true })
  } finally {
    rmSync(made, { recursive: true })
  }
  const files = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  for (const file of files) {
    const path = join(target, file)
    const api = `./${posix.relative(posix.dirname(`/${file.replaceAll('\\', '/')}`), '/api.js')}`
    const text = readFileSync(path, 'utf8').replaceAll(IMPORT, (_, quote, from) => {
      const isInferred = from === 'gql.tada' || from.startsWith('@daybook/api/')
      const to = isInferred ? api : from.replace(/^(\..*)\.ts$/u, '$1.js')
      return `${quote}${to}${quote}`
    })
    writeFileSync(path, text)
  }
  const sdl = readFileSync(join(REPOSITORY, 'services/gateway/schema.graphql'), 'utf8')
  writeFileSync(join(target, 'api.d.ts'), COMMON + inputsOf(sdl))
}

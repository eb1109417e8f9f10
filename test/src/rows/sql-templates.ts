import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { REPOSITORY } from '../support/daemon.ts'

/** A raw query of the product that declares its rows: `sql<Row>`…``. */
export interface SqlTemplate {
  /** `file: Row`, with the type as written in the source. */
  readonly name: string
  /** Whether the type has a name; a type with more than two columns must have one. */
  readonly isNamed: boolean
  readonly columns: ReadonlyMap<string, RowColumn>
  /** The template's own text, split at its holes. */
  readonly texts: readonly string[]
}

/** A column of a declared row type. */
export interface RowColumn {
  /** `string`, `number`, `boolean`, `Buffer`, an array of those, or `json`. */
  readonly type: string
  readonly nullable: boolean
  readonly optional: boolean
}

/**
 * Finds every raw query in libs and services whose rows are objects. TypeScript itself resolves the row type.
 */
export function readSqlTemplates(): SqlTemplate[] {
  const files = ['libs', 'services'].flatMap((folder) => sourcesIn(join(REPOSITORY, folder)))
  const { config } = ts.readConfigFile(join(REPOSITORY, 'tsconfig.base.json'), ts.sys.readFile) as {
    config: object
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, REPOSITORY)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const templates: SqlTemplate[] = []
  for (const file of files) {
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit)
      if (!ts.isTaggedTemplateExpression(node) || node.tag.getText() !== 'sql') return
      const [row] = node.typeArguments ?? []
      if (row === undefined) return
      const columns = readColumns(checker, checker.getTypeFromTypeNode(row))
      if (columns === null) return
      templates.push({
        name: `${file.slice(REPOSITORY.length)}: ${row.getText().replaceAll(/\s+/gu, ' ')}`,
        isNamed: !ts.isTypeLiteralNode(row),
        columns,
        texts: textsOf(node.template),
      })
    }
    const source = program.getSourceFile(file)
    if (source !== undefined) visit(source)
  }
  return templates
}

/** The templates that may have made a statement: of those that fit, the ones with the most own text. */
export function templatesOf(statement: string, templates: readonly SqlTemplate[]): SqlTemplate[] {
  // A template without own text would fit every statement.
  const fitting = templates.filter(
    ({ texts }) => texts.some((text) => text.trim() !== '') && fits(statement, texts),
  )
  const most = Math.max(...fitting.map(ownLength))
  return fitting.filter((template) => ownLength(template) === most)
}

const ownLength = ({ texts }: SqlTemplate) => texts.join('').length

function fits(statement: string, [head = '', ...rest]: readonly string[]): boolean {
  const tail = rest.pop()
  if (tail === undefined) return statement === head
  if (!statement.startsWith(head)) return false
  let at = head.length
  for (const text of rest) {
    const found = statement.indexOf(text, at)
    if (found < 0) return false
    at = found + text.length
  }
  return statement.length - tail.length >= at && statement.endsWith(tail)
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        path.endsWith('.ts') &&
        !/node_modules|in-memory|dist\/|\.test\.ts|\/testing\/|\/migrations\//u.test(path),
    )
    .map((path) => join(folder, path))
    .filter((path) => readFileSync(path, 'utf8').includes('sql<'))
}

const textsOf = (template: ts.TemplateLiteral): string[] =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? [template.text]
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]

/** The columns of a row type; null if the type is no row, such as a fragment's. */
function readColumns(checker: ts.TypeChecker, row: ts.Type): Map<string, RowColumn> | null {
  if ((row.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0 || row.symbol?.name === 'Buffer')
    return null
  return new Map(
    checker.getPropertiesOfType(row).map((property) => {
      const type = checker.getTypeOfSymbol(property)
      const present = checker.getNonNullableType(type)
      return [
        property.name,
        {
          type: nameOf(checker, present),
          nullable: type !== present || (type.flags & ts.TypeFlags.Unknown) !== 0,
          optional: (property.flags & ts.SymbolFlags.Optional) !== 0,
        },
      ]
    }),
  )
}

function nameOf(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.symbol?.name === 'Buffer') return 'Buffer'
  const name = checker.typeToString(checker.getBaseTypeOfLiteralType(type))
  return /^(?:string|number|boolean)(?:\[\])?$/u.test(name) ? name : 'json'
}

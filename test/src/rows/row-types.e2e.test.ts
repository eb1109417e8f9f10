import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DRIVER_TYPES } from '@daybook/postgres/column-types'
import { copyMigratedCluster } from '@daybook/postgres/testing/embedded-template'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AnsweredStatement, recordStatements } from './record-statements.ts'
import { readSqlTemplates, type SqlTemplate, templatesOf } from './sql-templates.ts'
import { useDaemon } from './use-daemon.ts'
import { useDatabase } from './use-database.ts'

/*
 * A raw query declares its rows with `sql<Row>`, and the compiler believes it. This compares the declarations
 * with the statements that a daemon makes on a migrated database: their columns, the types, and nulls.
 */

/** Raw queries that nothing here runs, so their rows are not checked. */
const NOT_REACHED: readonly string[] = [
  // Documents of memories that the journal does not have.
  'libs/engines/typesense/src/verify/verifiable.ts: { memory_id: string }',
  // A damaged file.
  'libs/postgres/src/damage.ts: DamagedTable',
  // Texts that the embedding store has lost.
  'services/reindex/src/backfill/handle-backfill.ts: { open: number; failed: number }',
  // A filter that leaves many of a project with thousands of memories.
  'libs/search/src/retrievers/postgres/lexical-retriever.ts: { last: number; numbers: Buffer }',
]

/** What the driver makes of a type; the tables' are in `column-types.ts`. */
const TYPES: Readonly<Record<string, string>> = {
  ...DRIVER_TYPES,
  float8: 'number',
  int2: 'number',
  jsonb: 'json',
  name: 'string',
  timestamptz: 'string',
  _int4: 'number[]',
  _text: 'string[]',
  _uuid: 'string[]',
}

const templates = readSqlTemplates()
const dataDir = mkdtempSync(join(tmpdir(), 'daybook-rows-'))
let statements: AnsweredStatement[]
let typeNames: ReadonlyMap<number, string>

beforeAll(async () => {
  await copyMigratedCluster(dataDir)
  statements = await recordStatements(async () => {
    await useDaemon(dataDir)
    typeNames = await useDatabase(dataDir)
  })
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

describe('the type of a raw query’s rows', () => {
  it('is what the database gives', () => {
    const wrong = statements.flatMap((statement) =>
      templatesOf(statement.text, templates).flatMap((template) =>
        differences(template, statement).map((difference) => `${template.name}: ${difference}`),
      ),
    )
    expect([...new Set(wrong)]).toEqual([])
  })

  it('is held here', () => {
    const reached = new Set(statements.flatMap(({ text }) => templatesOf(text, templates)))
    const missed = templates.filter((template) => !reached.has(template)).map(({ name }) => name)
    expect(missed.filter((name) => !NOT_REACHED.includes(name))).toEqual([])
    const known = new Set(templates.map(({ name }) => name))
    expect(NOT_REACHED.filter((name) => !known.has(name))).toEqual([])
  })

  it('has a name where there are more than two columns', () => {
    const nameless = templates.filter(({ isNamed, columns }) => !isNamed && columns.size > 2)
    expect(nameless.map(({ name }) => name)).toEqual([])
  })
})

function differences({ columns }: SqlTemplate, given: AnsweredStatement): string[] {
  const names = new Set([...columns.keys(), ...given.columns.keys()])
  return [...names].flatMap((name) => {
    const said = columns.get(name)
    const oid = given.columns.get(name)
    if (said === undefined) return [`${name} comes, and the type has no such property`]
    if (oid === undefined) return said.optional ? [] : [`${name} does not come`]
    const came = typeNames.get(oid) ?? String(oid)
    if (said.type !== TYPES[came])
      return [`${name} is a ${came}, which is ${TYPES[came] ?? 'not among TYPES'} and not ${said.type}`]
    return given.nulls.has(name) && !said.nullable ? [`${name} is null at times`] : []
  })
}

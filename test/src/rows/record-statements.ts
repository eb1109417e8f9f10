import { Client, type QueryResult } from 'pg'

/** A database's answer to a statement that returns rows. */
export interface AnsweredStatement {
  readonly text: string
  /** The type oids of its columns, by column name. */
  readonly columns: ReadonlyMap<string, number>
  /** The columns that were null in some row. */
  readonly nulls: Set<string>
}

/**
 * Records the statements that this process sends to any database during `work`. Equal texts are one
 * statement.
 */
export async function recordStatements(work: () => Promise<void>): Promise<AnsweredStatement[]> {
  const statements = new Map<string, AnsweredStatement>()
  const note = (text: string, { fields, rows }: QueryResult<Record<string, unknown>>) => {
    const columns = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID]))
    const { nulls } = statements.get(text) ?? { nulls: new Set() }
    statements.set(text, { text, columns, nulls })
    for (const row of rows) for (const name of columns.keys()) if (row[name] === null) nulls.add(name)
  }
  const ask = Client.prototype.query as (...parts: unknown[]) => unknown
  Client.prototype.query = function (this: Client, ...parts: unknown[]) {
    const answer = ask.apply(this, parts)
    const [text] = parts
    if (typeof text !== 'string' || !(answer instanceof Promise)) return answer
    return answer.then((result: QueryResult | QueryResult[]) => {
      if (!Array.isArray(result)) note(text, result)
      return result
    })
  } as typeof Client.prototype.query
  try {
    await work()
  } finally {
    Client.prototype.query = ask as typeof Client.prototype.query
  }
  return [...statements.values()].filter(({ columns }) => columns.size > 0)
}

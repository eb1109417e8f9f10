import { readGenerations } from '../client/generations.ts'
import { listOperations } from '../client/operations.ts'
import { operationsTable } from '../operations/operations-table.ts'
import { print, printJson } from '../output/print.ts'
import type { Connection } from '../settings.ts'
import { generationsTable } from './generations-table.ts'

/** Prints the generations, and the recent operations. */
export async function list({ connection, json }: { connection: Connection; json: boolean }): Promise<void> {
  const generations = await readGenerations(connection)
  const operations = await listOperations(connection, { first: 10 })
  if (json) return printJson({ generations, operations })
  const now = Date.now()
  print(generationsTable(generations, now))
  if (operations.length > 0) print(`\n${operationsTable(operations, now)}`)
}

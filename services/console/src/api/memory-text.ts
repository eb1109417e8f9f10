import { graphql } from '@daybook/api/graphql'
import { read } from './client.ts'

const TEXT = graphql(`query MemoryText($id: ID!, $asOf: DateTime) { memory(id: $id, asOf: $asOf) { text } }`)

/** A memory's whole text; null if it has none, or is there no more. @throws DaybookClientError */
export const readText = async (id: string, asOf: string | null): Promise<string | null> =>
  (await read(TEXT, { id, asOf })).memory?.text ?? null

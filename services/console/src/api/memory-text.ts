import * as queries from '@daybook/api/queries'
import { read } from './client.ts'

const TEXT = queries.memory('text')

/** A memory's whole text; null if it has none, or is there no more. @throws DaybookClientError */
export const readText = async (id: string, asOf: string | null): Promise<string | null> =>
  (await read(TEXT, { id, asOf })).memory?.text ?? null

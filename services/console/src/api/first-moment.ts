import { graphql } from '@daybook/api/graphql'
import { read } from './client.ts'

const FIRST = graphql(`query FirstEvent { journal(after: 0, first: 1) { recordedAt } }`)

/** When the project's first event was recorded, RFC 3339; null before there is one. @throws DaybookClientError */
export const readFirstMoment = async (): Promise<string | null> =>
  (await read(FIRST, {})).journal[0]?.recordedAt ?? null

import { pause } from '@daybook/runtime/backoff'
import { type Api, dataOf, TransportError } from '../support/graphql.ts'

/** An operation as the API returns it. */
export interface Told {
  readonly id: string
  readonly status: string
  readonly phase: string
  readonly done: number
  readonly total: number | null
  readonly error: string | null
  readonly result: Readonly<Record<string, unknown>> | null
}

const FIELDS = 'id status phase done total error result'
const RESULT = `{ __typename ... on Operation { ${FIELDS} } ... on DaybookError { code message } }`

/** Asks for an operation. @throws if it is refused */
export async function request(api: Api, field: string): Promise<Told> {
  const data = dataOf<{ asked: Told & { __typename: string; message?: string } }>(
    await api.graphql({ query: `mutation { asked: ${field} ${RESULT} }` }),
  )
  if (data.asked.__typename !== 'Operation') throw new Error(`${field}: ${data.asked.message}`)
  return data.asked
}

/** Waits for an operation's end. @param onLook called with its state four times a second */
export async function ended(api: Api, id: string, onLook: (told: Told) => void = () => {}): Promise<Told> {
  for (;;) {
    try {
      const { operation } = dataOf<{ operation: Told }>(
        await api.graphql({
          query: `query ($id: ID!) { operation(id: $id) { ${FIELDS} } }`,
          variables: { id },
        }),
      )
      onLook(operation)
      if (operation.status !== 'QUEUED' && operation.status !== 'RUNNING') return operation
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
    }
    await pause(250)
  }
}

/** Asks for an operation and waits for its end. @throws if it does not succeed */
export async function succeeded(api: Api, field: string, onLook?: (told: Told) => void): Promise<Told> {
  const told = await ended(api, (await request(api, field)).id, onLook)
  if (told.status !== 'SUCCEEDED') throw new Error(`${field} ended as ${told.status}: ${told.error}`)
  return told
}

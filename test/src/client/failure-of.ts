import type { DaybookClientError } from '@daybook/client'
import { expect } from 'vitest'

/** What a call throws. */
export const failureOf = (call: Promise<unknown>): Promise<DaybookClientError> =>
  call.then(
    () => expect.fail('it succeeded'),
    (error: DaybookClientError) => error,
  )

/** All that an iteration gives. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

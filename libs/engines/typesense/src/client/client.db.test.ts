import { inspect } from 'node:util'
import { UnavailableError } from '@daybook/memory/errors'
import { startTypesenseDouble, type TypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTypesenseClient } from './client.ts'
import { isMissing, isPassing, TypesenseRefusedError, TypesenseUnavailableError } from './errors.ts'

const KEY = 'a-key-that-nobody-may-read'
const SECRET_TEXT = 'a text that nobody may read'

describe('the Typesense client', () => {
  let double: TypesenseDouble
  beforeAll(async () => {
    double = await startTypesenseDouble({ apiKey: KEY })
  })
  afterAll(() => double?.stop())

  const clientWith = (more: { apiKey?: string; url?: string; timeoutMs?: number } = {}) =>
    createTypesenseClient({ url: double.url, apiKey: KEY, ...more })
  const failureOf = async (asked: Promise<unknown>): Promise<Error> => {
    try {
      await asked
    } catch (error) {
      return error as Error
    }
    throw new Error('it did not fail')
  }
  const line = JSON.stringify({ id: '1', text: SECRET_TEXT })

  it('says of what cannot be had now that it is unavailable, and whether it may have arrived', async () => {
    const asked = (more = {}) => failureOf(clientWith(more).importLines('a', 'upsert', [line]))
    double.faults.notReady(true)
    expect(await asked()).toMatchObject({ code: 'UNAVAILABLE', mayHaveArrived: false })
    double.faults.notReady(false)
    double.faults.slow(3_600_000)
    expect(await asked({ timeoutMs: 100 })).toMatchObject({ code: 'UNAVAILABLE', mayHaveArrived: true })
    double.faults.slow(0)
    await double.faults.refuse()
    expect(await asked()).toMatchObject({ code: 'UNAVAILABLE', mayHaveArrived: false })
    await double.faults.accept()
  })

  it('says of a wrong key which setting to change, and parks nothing for it', async () => {
    const client = clientWith({ apiKey: 'another' })
    const error = await failureOf(client.importLines('a', 'upsert', [line]))
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error.message).toContain('TYPESENSE_API_KEY')
  })

  it('says what the server said of a request that it refuses', async () => {
    const error = await failureOf(clientWith().importLines('a', 'upsert', [line]))
    expect(error).toBeInstanceOf(TypesenseRefusedError)
    expect(error).toMatchObject({ status: 404, message: 'Collection not found' })
    expect(isMissing(error)).toBe(true)
  })

  it('shows neither the key nor a text in any error, not even in a log of all its properties', async () => {
    const errors = [
      await failureOf(clientWith().importLines('a', 'upsert', [line])),
      await failureOf(clientWith({ apiKey: 'another' }).importLines('a', 'upsert', [line])),
      await failureOf(clientWith({ url: 'http://127.0.0.1:1' }).importLines('a', 'upsert', [line])),
      await failureOf(
        clientWith({ url: `http://user:${KEY}@127.0.0.1:1` }).importLines('a', 'upsert', [line]),
      ),
    ]
    for (const error of errors) {
      const shown = `${JSON.stringify(error)} ${inspect(error, { depth: 20, showHidden: true })}`
      expect(shown).not.toContain(KEY)
      expect(shown).not.toContain(SECRET_TEXT)
      expect(error.cause).toBeUndefined()
    }
    expect(errors[2]).toBeInstanceOf(TypesenseUnavailableError)
    expect(errors[3]).toBeInstanceOf(TypesenseUnavailableError)
  })

  it('takes a full server, a busy one and a lagging one for passing, and a bad request not', () => {
    expect(isPassing(422, 'Rejecting write: running out of resource type: OUT_OF_DISK')).toBe(true)
    // The real server's messages for a call and for a queued write.
    expect(isPassing(422, 'Skipping writes.')).toBe(true)
    expect(isPassing(422, 'Skipping write.')).toBe(true)
    expect([408, 429, 500, 502, 503].every((status) => isPassing(status, ''))).toBe(true)
    expect([400, 404, 409, 413, 422].some((status) => isPassing(status, 'Field is bad'))).toBe(false)
  })
})

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersOf } from '../server/answers-of.ts'
import { startTypesenseDouble, type TypesenseDouble } from '../start-typesense-double.ts'
import { STRICT } from './strict.ts'

const recorded: Record<string, unknown> = JSON.parse(
  readFileSync(fileURLToPath(new URL('strict.json', import.meta.url)), 'utf8'),
)

describe('the double answers as Typesense 29.0 was recorded to', () => {
  let double: TypesenseDouble
  beforeAll(async () => {
    double = await startTypesenseDouble({ apiKey: 'key' })
  })
  afterAll(() => double?.stop())

  it.each(Object.entries(STRICT))('%s', async (name, scenario) => {
    expect(JSON.parse(JSON.stringify(await answersOf(double, scenario)))).toEqual(recorded[name])
  })
})

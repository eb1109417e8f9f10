import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'

const made = new WeakMap<z.ZodType, StandardSchemaWithJSON>()

/**
 * The schema with its JSON Schema made once: over HTTP each request has a server of its own, and the SDK would make the JSON
 * Schema again for each call.
 */
export function once<Schema extends z.ZodType>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const known = made.get(schema)
  if (known !== undefined) return known as StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>>
  const standard = schema['~standard'] as unknown as StandardSchemaWithJSON['~standard']
  const texts = new Map<string, Record<string, unknown>>()
  const remember =
    (io: 'input' | 'output') =>
    (options: Parameters<typeof standard.jsonSchema.input>[0]): Record<string, unknown> => {
      const key = `${io}:${JSON.stringify(options)}`
      const before = texts.get(key)
      if (before !== undefined) return before
      const json = standard.jsonSchema[io](options)
      texts.set(key, json)
      return json
    }
  const kept = {
    '~standard': { ...standard, jsonSchema: { input: remember('input'), output: remember('output') } },
  } as StandardSchemaWithJSON
  made.set(schema, kept)
  return kept as StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>>
}

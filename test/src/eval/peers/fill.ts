/** What placeholders of a template stand for, by name. */
export type Values = Readonly<Record<string, unknown>>

/**
 * Fills the placeholders of a JSON template. `"$limit"` alone becomes the value as it is; inside a longer
 * string its text is put in, and `$url:question` puts it in as a part of an address needs it. `$env:NAME` is an
 * environment variable. Unknown names stay. `{ "$each": template
 * }` becomes an array with the template filled for each memory.
 */
export function fill(template: unknown, values: Values, memories: readonly Values[] = []): unknown {
  if (typeof template === 'string') {
    const alone = /^\$(\w+)$/u.exec(template)?.[1]
    if (alone !== undefined && alone in values) return values[alone]
    return template.replaceAll(/\$(env:|url:)?(\w+)/gu, (text, prefix: string | undefined, name: string) => {
      const value = prefix === 'env:' ? process.env[name] : values[name]
      if (value === undefined) return text
      return prefix === 'url:' ? encodeURIComponent(String(value)) : String(value)
    })
  }
  if (Array.isArray(template)) return template.map((one) => fill(one, values, memories))
  if (typeof template !== 'object' || template === null) return template
  if ('$each' in template) return memories.map((memory) => fill(template.$each, { ...values, ...memory }))
  return Object.fromEntries(Object.entries(template).map(([key, one]) => [key, fill(one, values, memories)]))
}

/** Whether a template takes several memories at once. */
export const takesSeveral = (template: unknown) => JSON.stringify(template).includes('"$each"')

/** The values at a path such as `results.*.id`, in order; `*` is every element. */
export function valuesAt(value: unknown, path: string): unknown[] {
  const steps = path === '' ? [] : path.split('.')
  return steps.reduce<unknown[]>((found, step) => found.flatMap((one) => childrenOf(one, step)), [value])
}

function childrenOf(value: unknown, step: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (step === '*') return Object.values(value)
  const child = (value as Record<string, unknown>)[step]
  return child === undefined ? [] : [child]
}

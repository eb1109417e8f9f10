import { isDeepStrictEqual } from 'node:util'
import type { JsonDocument } from '../client/client.ts'

/**
 * Compares a memory's documents with the wanted ones.
 * @returns the differences in words; empty if there are none
 */
export function compareDocuments(wanted: readonly JsonDocument[], found: readonly JsonDocument[]): string[] {
  const byId = new Map(found.map((document) => [document.id, document]))
  const problems: string[] = []
  for (const document of wanted) {
    const is = byId.get(document.id)
    byId.delete(document.id)
    if (is === undefined) problems.push(`document ${document.id} is missing`)
    else
      for (const name of new Set([...Object.keys(document), ...Object.keys(is)]))
        if (!isSame(document[name], is[name]))
          problems.push(
            `document ${document.id} has ${name} ${show(is[name])}, the journal says ${show(document[name])}`,
          )
  }
  for (const surplus of byId.keys()) problems.push(`document ${surplus} should not be there`)
  return problems
}

/** Typesense stores vectors as 32-bit floats. */
const TOLERANCE = 1e-5

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other) && typeof one[0] === 'number')
    return (
      one.length === other.length &&
      one.every((number, index) => Math.abs(number - (other[index] as number)) <= TOLERANCE)
    )
  return isDeepStrictEqual(one, other)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

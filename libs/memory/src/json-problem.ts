import { LIMITS } from './limits.ts'
import { oneLine } from './text-rules.ts'

/** What of a JSON value cannot be kept. */
interface JsonProblem {
  /** Where it is, with the names of the fields around it, such as `metadata.order`. */
  readonly path: string
  readonly problem: string
}

/** @returns the first value in it that cannot be kept, by what is asked of metadata; null if there is none */
export function jsonProblem(value: unknown, path: string, depth = 0): JsonProblem | null {
  const is = (problem: string): JsonProblem => ({ path, problem })
  if (depth > LIMITS.metadataDepth) return is(`is nested too deeply: the limit is ${LIMITS.metadataDepth}`)
  if (value === null || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : is('must hold finite numbers only')
  if (typeof value === 'string') {
    if (value.includes('\u0000')) return is('must not contain the NUL character (U+0000)')
    return value.isWellFormed() ? null : is('must be well-formed Unicode, without unpaired surrogates')
  }
  if (typeof value !== 'object') return is('must be JSON')
  for (const [name, inner] of Object.entries(value)) {
    const problem =
      jsonProblem(name, path, depth + 1) ??
      jsonProblem(inner, Array.isArray(value) ? path : `${path}.${name}`, depth + 1)
    if (problem !== null) return problem
  }
  return null
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/uy

/**
 * What is lost of a JSON text by reading it: whole numbers beyond 2^53, which JavaScript rounds. Afterwards nobody sees it.
 * @returns null if there is nothing
 */
export function lossOf(json: string): string | null {
  if (!/\d{16}/u.test(json)) return null
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at]
    if (sign === '"') inString = !inString
    else if (inString && sign === '\\') at += 1
    if (inString) continue
    NUMBER.lastIndex = at
    const [number] = NUMBER.exec(json) ?? []
    if (number === undefined) continue
    at += number.length - 1
    if (isRounded(number))
      return `holds the number ${oneLine(number, 40)}, which would be rounded: give it as text`
  }
  return null
}

/** From 309 digits on, JavaScript has none at all. */
const isRounded = (number: string): boolean =>
  /^-?\d{16,}$/u.test(number) && (number.length > 308 || BigInt(number) !== BigInt(Number(number)))

import type { KindName } from './index.ts'

/**
 * Kinds whose object would have the name of a built-in type. In generated clients it would hide that type.
 */
const OBJECT_NAMES: Readonly<Partial<Record<KindName, string>>> = { error: 'ErrorMemory' }

/** The name of a kind's object in the API: `Insight`. */
export const objectName = (kind: KindName): string =>
  OBJECT_NAMES[kind] ?? `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`

import type { Item, PutOperation } from '@langchain/langgraph-checkpoint'
import type { Memory } from '../memory.ts'
import type { RememberInput } from '../writes.ts'
import { ITEM, labelsOf } from './labels.ts'
import { searchedText } from './searched-text.ts'

/*
 * An item is an insight: its key is the insight's key, its namespace the context. So what is put again revises the same memory,
 * and people and other agents find it by `recall`. Its text is what searches compare. The value is kept as JSON text, which
 * keeps what Daybook's metadata would not: the order of keys, U+0000, and unpaired surrogates.
 */

/** What stands in an item's metadata, under `langgraph`. */
interface ItemMetadata {
  readonly namespace: readonly string[]
  readonly key: string
  /** False if searches by a query leave it out. */
  readonly indexed: boolean
  /** JSON; absent if it is too long for metadata, and stands in the memory's content. */
  readonly value?: string
}

/** The most bytes of metadata as JSON. */
const METADATA_BYTES = 16 * 1024

/** A namespace as a context: LangGraph forbids colons inside it. */
export const contextOf = (namespace: readonly string[]): string => namespace.join(':')

/** The namespace of a context. */
export const namespaceOf = (context: string): string[] => context.split(':')

/** What `put` remembers. @param fields the paths that are searched, unless the operation has its own */
export async function toInput(
  { namespace, key, value, index }: PutOperation,
  fields: readonly string[],
): Promise<RememberInput> {
  const json = JSON.stringify(value)
  const short: ItemMetadata = { namespace, key, indexed: index !== false }
  const whole: ItemMetadata = { ...short, value: json }
  const fits = bytes(JSON.stringify({ [ITEM]: whole })) <= METADATA_BYTES
  const text = index === false ? '' : searchedText(value, index ?? fields)
  return {
    // A memory has a text, so one with nothing to search for has its key.
    content: { insight: { key, content: fits ? text || key : json } },
    context: contextOf(namespace),
    labels: await labelsOf(namespace, key),
    metadata: { [ITEM]: fits ? whole : short },
    onExisting: 'REVISE',
  }
}

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** An item as it was put. */
export interface StoredItem extends Item {
  readonly indexed: boolean
}

/** The item of a memory; null if it is none. */
export function toItem({ metadata, content, createdAt, updatedAt }: Memory): StoredItem | null {
  const item = metadata[ITEM] as Partial<ItemMetadata> | undefined
  if (item?.namespace === undefined || item.key === undefined) return null
  const json = item.value ?? content.insight?.content
  const value = json === undefined ? null : parsed(json)
  if (value === null) return null
  return {
    value,
    key: item.key,
    namespace: [...item.namespace],
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    indexed: item.indexed !== false,
  }
}

/** Null for what somebody else has changed so that it is no value any more. */
function parsed(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

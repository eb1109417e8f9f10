/** The label of every item, so that items can be told from other memories. */
export const ITEM = 'langgraph'

/** The most characters of a label. */
const LABEL_CHARACTERS = 64

/**
 * The label of a namespace. Each item has those of all its prefixes, because Daybook finds labels exactly and knows
 * no prefixes: `langgraph`, `langgraph:users`, `langgraph:users:kai`. LangGraph forbids colons inside a namespace.
 */
export const namespaceLabel = (namespace: readonly string[]): Promise<string> =>
  shortened([ITEM, ...namespace].join(':'))

/** The label of a key. */
export const keyLabel = (key: string): Promise<string> => shortened(`${ITEM}=${key}`)

/** All labels of an item. */
export const labelsOf = (namespace: readonly string[], key: string): Promise<string[]> =>
  Promise.all([
    ...[...namespace.keys(), namespace.length].map((length) => namespaceLabel(namespace.slice(0, length))),
    keyLabel(key),
  ])

/** A label that is too long is replaced by its digest. */
async function shortened(label: string): Promise<string> {
  if (Array.from(label).length <= LABEL_CHARACTERS) return label
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(label))
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${ITEM}#${hex.slice(0, LABEL_CHARACTERS - ITEM.length - 1)}`
}

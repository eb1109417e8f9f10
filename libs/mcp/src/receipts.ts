/**
 * The newest write of a client, so that what it reads next includes it. One for each connection over stdio; over HTTP, one
 * for each key and project.
 */
export interface Receipts {
  /** The sequence that reads wait for; null before the first write. */
  readonly newest: number | null
  /** Notes the receipt of a write. */
  note(sequence: number): void
}

/** Receipts of a client that has written nothing yet. */
export function createReceipts(): Receipts {
  let newest: number | null = null
  return {
    get newest() {
      return newest
    },
    note(sequence) {
      newest = Math.max(newest ?? 0, sequence)
    },
  }
}

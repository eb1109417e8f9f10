import { createReceipts, type Receipts } from '@daybook/mcp/receipts'
import { LRUCache } from 'lru-cache'

/** How many keys' receipts are kept, some 100 bytes each. Of one that is not, reads wait for nothing. */
const KEPT = 10_000

/** The receipts of each key in each project: over HTTP a client is a key. */
export function receiptsOfKeys(): (keyId: string, projectId: string | null) => Receipts {
  const kept = new LRUCache<string, Receipts>({ max: KEPT })
  return (keyId, projectId) => {
    const name = `${keyId}/${projectId}`
    const receipts = kept.get(name) ?? createReceipts()
    kept.set(name, receipts)
    return receipts
  }
}

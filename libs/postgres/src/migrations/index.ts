import type { Migration } from 'kysely'
import * as journal from './0001-journal.ts'
import * as projections from './0002-projections.ts'
import * as relay from './0003-relay.ts'
import * as typesense from './0004-typesense.ts'
import * as traceContext from './0005-trace-context.ts'
import * as adminKeys from './0006-admin-keys.ts'
import * as hashChain from './0007-hash-chain.ts'
import * as operations from './0008-operations.ts'
import * as migrationsSeen from './0009-migrations-seen.ts'
import * as positionMoved from './0010-position-moved.ts'
import * as rowLevelSecurity from './0011-row-level-security.ts'
import * as sessions from './0012-sessions.ts'
import * as saltedHashes from './0013-salted-hashes.ts'
import * as identity from './0014-identity.ts'
import * as compatibility from './0015-compatibility.ts'
import * as generationFences from './0016-generation-fences.ts'
import * as keyEnds from './0017-key-ends.ts'
import * as narrowRights from './0018-narrow-rights.ts'
import * as selfChecks from './0019-self-checks.ts'
import * as embeddingsOfProjects from './0020-embeddings-of-projects.ts'
import * as leases from './0021-leases.ts'
import * as tokenBits from './0022-token-bits.ts'
import * as halfVectors from './0023-half-vectors.ts'
import * as tokenBitsInRows from './0024-token-bits-in-rows.ts'
import * as undoAndExpiry from './0026-undo-and-expiry.ts'
import * as oneThingOneMemory from './0027-one-thing-one-memory.ts'
import * as languages from './0028-languages.ts'
import * as filterIndex from './0029-filter-index.ts'
import * as keysAndProjects from './0030-keys-and-projects.ts'
import * as erasure from './0031-erasure.ts'
import * as projectDeletion from './0032-project-deletion.ts'
import * as trustAndQuarantine from './0033-trust-and-quarantine.ts'
import * as consoleSessions from './0034-console-sessions.ts'
import * as memoryMaps from './0035-memory-maps.ts'
import * as sync from './0036-sync.ts'
import * as narrowChunks from './0037-narrow-chunks.ts'
import * as omitStatistics from './0038-omit-statistics.ts'
import * as goBack from './0039-go-back.ts'
import * as forgetSelections from './0040-forget-selections.ts'
import * as emptyCaches from './0041-empty-caches.ts'

/**
 * Every migration, applied in the order of the names. In a new file, say whether the previous version can run
 * beside it (compatible) or not (breaking). A breaking one calls `raiseMinimum`.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-journal': journal,
  '0002-projections': projections,
  '0003-relay': relay,
  '0004-typesense': typesense,
  '0005-trace-context': traceContext,
  '0006-admin-keys': adminKeys,
  '0007-hash-chain': hashChain,
  '0008-operations': operations,
  '0009-migrations-seen': migrationsSeen,
  '0010-position-moved': positionMoved,
  '0011-row-level-security': rowLevelSecurity,
  '0012-sessions': sessions,
  '0013-salted-hashes': saltedHashes,
  '0014-identity': identity,
  '0015-compatibility': compatibility,
  '0016-generation-fences': generationFences,
  '0017-key-ends': keyEnds,
  '0018-narrow-rights': narrowRights,
  '0019-self-checks': selfChecks,
  '0020-embeddings-of-projects': embeddingsOfProjects,
  '0021-leases': leases,
  '0022-token-bits': tokenBits,
  '0023-half-vectors': halfVectors,
  '0024-token-bits-in-rows': tokenBitsInRows,
  '0026-undo-and-expiry': undoAndExpiry,
  '0027-one-thing-one-memory': oneThingOneMemory,
  '0028-languages': languages,
  '0029-filter-index': filterIndex,
  '0030-keys-and-projects': keysAndProjects,
  '0031-erasure': erasure,
  '0032-project-deletion': projectDeletion,
  '0033-trust-and-quarantine': trustAndQuarantine,
  '0034-console-sessions': consoleSessions,
  '0035-memory-maps': memoryMaps,
  '0036-sync': sync,
  '0037-narrow-chunks': narrowChunks,
  '0038-omit-statistics': omitStatistics,
  '0039-go-back': goBack,
  '0040-forget-selections': forgetSelections,
  '0041-empty-caches': emptyCaches,
}

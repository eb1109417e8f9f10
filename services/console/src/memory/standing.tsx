import type { WholeMemory } from '../api/memory.ts'
import { Ago } from '../components/ago.tsx'
import { memoryAddress } from '../components/memory-address.ts'

/** What one must know before one believes the memory: that it is withheld, forgotten, replaced or little trusted. */
export function Standing({
  memory: { quarantine, forgottenAt, supersededBy, trust, expiresAt },
}: {
  readonly memory: WholeMemory
}) {
  return (
    <>
      {quarantine !== null && (
        <p class="notice error" role="status">
          An author of this memory is in quarantine: no search finds it, and what it says may be poisoned.
          Reason: {quarantine.reason}
        </p>
      )}
      {forgottenAt !== null && (
        <p class="notice warning" role="status">
          <span>
            Forgotten <Ago moment={forgottenAt} />: no search finds it. Nothing is lost; “Bring it back”
            restores it as it was.
          </span>
        </p>
      )}
      {supersededBy !== null && (
        <p class="notice">
          <span>
            Superseded by <a href={memoryAddress(supersededBy.id)}>{supersededBy.title}</a>
          </span>
        </p>
      )}
      {trust === 'LOW' && quarantine === null && (
        <p class="notice warning">
          Low trust: its author takes in what others say, such as web pages or mail.
        </p>
      )}
      {expiresAt !== null && forgottenAt === null && (
        <p class="notice">
          <span>
            Expires <Ago moment={expiresAt} />
          </span>
        </p>
      )}
    </>
  )
}

import type { AppendRequest } from '@daybook/journal/append/append-request'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { DaybookError } from '@daybook/memory/errors'
import type { Writer } from '@daybook/memory/writer'
import {
  isAnythingWithheld,
  isWithheldWriter,
  readWithheld,
  type Withheld,
} from '@daybook/pgvector/read/access'
import { bindToProject, type Database } from '@daybook/postgres/connect'
import { LRUCache } from 'lru-cache'

/** How long the writers in quarantine are cached, in milliseconds, before a write. Reads look them up each time. */
export const KNOWN_MS = 2_000

/** Refuses what writers in quarantine would write. */
export interface QuarantineChecks {
  /** @throws DaybookError QUARANTINED @param projectId null: the request names none */
  requireFree(projectId: string | null, writer: Writer): Promise<void>
  /**
   * For what writes into whichever project. It looks each time.
   * @throws DaybookError QUARANTINED if the writer is in quarantine in any
   */
  requireFreeEverywhere(writer: Writer): Promise<void>
  /** The same writer, which refuses what an agent in quarantine would write, and brings none of its words back. */
  refuseAgents(writer: JournalWriter): JournalWriter
  /** Call this when quarantines have changed. Other gateways use their cache for up to 2 s more. */
  forget(): void
}

/**
 * Creates checks that know nothing yet. What another gateway still accepts in those 2 s is withheld like everything
 * else that the writer wrote.
 */
export function createQuarantineChecks(db: Database): QuarantineChecks {
  const known = new LRUCache<string, Promise<Withheld>>({ max: 10_000, ttl: KNOWN_MS })

  const withheldIn = (projectId: string | null): Promise<Withheld> => {
    const name = projectId ?? ''
    const cached = known.get(name)
    if (cached !== undefined) return cached
    const reading = readWithheld(projectId === null ? db : bindToProject(db, projectId), projectId === null)
    known.set(name, reading)
    reading.catch(() => known.delete(name))
    return reading
  }
  const requireFree = async (projectId: string | null, writer: Writer): Promise<void> => {
    if (isWithheldWriter(await withheldIn(projectId), writer)) throw quarantined(writer)
  }
  const checkAgents = async (projectId: string, requests: readonly AppendRequest[]): Promise<void> => {
    for (const request of requests) {
      const { writer } = request.metadata
      const agent = agentOf(request)
      if (writer !== undefined && agent !== null) await requireFree(projectId, { ...writer, agent })
    }
  }
  const knowing = async (projectId: string, request: AppendRequest): Promise<AppendRequest> => {
    const withheld = await withheldIn(projectId)
    if (!isAnythingWithheld(withheld)) return request
    return { ...request, isWithheld: (writer) => isWithheldWriter(withheld, writer) }
  }
  return {
    requireFree,
    async requireFreeEverywhere(writer) {
      if (isWithheldWriter(await readWithheld(db), writer)) throw quarantined(writer)
    },
    refuseAgents: (writer) => ({
      ...writer,
      async appendMany(scope, requests) {
        await checkAgents(scope.projectId, requests)
        return writer.appendMany(
          scope,
          await Promise.all(requests.map((request) => knowing(scope.projectId, request))),
        )
      },
    }),
    forget: () => known.clear(),
  }
}

/** The agent that a command says to be, if it says so. */
function agentOf({ command }: AppendRequest): string | null {
  const agent = 'input' in command ? command.input.agent : null
  return typeof agent === 'string' ? agent : null
}

const quarantined = ({ key, agent }: Writer): DaybookError =>
  new DaybookError(
    'QUARANTINED',
    `This key (${key})${agent === undefined ? '' : `, or the agent "${agent.slice(0, 64)}",`} is in quarantine: it may read, and writes nothing. Whoever administers the project sees why, and can release it: daybook quarantine list`,
  )

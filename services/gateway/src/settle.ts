import { readMemoryVersions } from '@daybook/journal/read/read'
import { NotFoundError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import { parseMemoryId } from '@daybook/memory/id'
import { type Settlement, settling } from '@daybook/memory/settle'
import type { Memory } from '@daybook/memory/state'
import { isWithheld, readWithheld, type Withheld } from '@daybook/pgvector/read/access'
import type { Context } from './context.ts'
import { append } from './schema/mutations/remember.ts'

type RecordedMemory = Memory & JournalCursor

/** Two memories after they were settled. */
export interface Settled {
  readonly older: RecordedMemory
  readonly newer: RecordedMemory
  /** How many events were written; 0 if it was so already. */
  readonly events: number
  /** When the first of them was, RFC 3339; null if there is none. */
  readonly since: string | null
}

/**
 * Settles two memories by commands that there were already (`@daybook/memory/settle`). They are read from the journal, because the
 * read model may not have them yet. If several commands are needed, they follow one another: what is refused leaves nothing
 * behind, and what was interrupted is finished by the same call.
 * @throws NotFoundError, also for what is in quarantine; ValidationError; ConflictError; LimitExceededError
 */
export async function settle(
  context: Context,
  ids: { readonly older: string; readonly newer: string },
  as: Settlement,
): Promise<Settled> {
  const withheld = await readWithheld(context.project.db)
  const [older, newer] = [
    await readRecorded(context, ids.older, withheld),
    await readRecorded(context, ids.newer, withheld),
  ]
  const settled = new Map([older, newer].map((memory) => [memory.state.id, memory]))
  const times: string[] = []
  for (const command of settling(as, older, newer)) {
    const { memory, written } = await append(context, command)
    settled.set(memory.state.id, memory)
    if (written !== null) times.push(memory.state.updatedAt)
  }
  return {
    older: settled.get(older.state.id) ?? older,
    newer: settled.get(newer.state.id) ?? newer,
    events: times.length,
    since: times[0] ?? null,
  }
}

async function readRecorded({ project }: Context, id: string, withheld: Withheld): Promise<RecordedMemory> {
  const ref = parseMemoryId(id)
  const found = ref === null ? null : await readMemoryVersions(project, ref.uuid, [])
  const record = found?.records.get(found.newest ?? 0)
  const state = record?.event?.data.state
  if (
    record === undefined ||
    state === undefined ||
    (ref?.kind != null && ref.kind !== state.kind) ||
    isWithheld(withheld, state)
  )
    throw new NotFoundError(`The memory "${id.slice(0, 64)}"`)
  const { version, sequence, hash } = record.envelope
  return { state, version, sequence, hash }
}

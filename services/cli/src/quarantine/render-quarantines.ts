import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import { shorten } from '../output/shorten.ts'
import { table } from '../output/table.ts'
import type { Quarantine } from './quarantine-documents.ts'

/** Columns of a reason. */
const REASON = 40

/** Who is in quarantine, for a sentence. */
export const nameOf = ({ agent, keyIds }: Pick<Quarantine, 'agent' | 'keyIds'>): string =>
  agent === null ? `The key ${safeLine(keyIds.join(', '))}` : `The agent "${safeLine(agent)}"`

/** Quarantines as a table. */
export function renderQuarantines(quarantines: readonly Quarantine[]): string {
  const rows = quarantines.map((one) => [
    one.agent === null
      ? one.keyIds.map((id) => `key ${safeLine(id)}`).join(', ')
      : `agent ${safeLine(one.agent)}`,
    one.project === null ? 'all' : safeLine(one.project.name),
    grouped(one.memories),
    `${minute(one.beganAt)} by ${safeLine(one.beganBy)}`,
    one.releasedAt === null ? '' : `${minute(one.releasedAt)} by ${safeLine(one.releasedBy ?? '')}`,
    shorten(safeLine(one.reason), REASON),
    safeLine(one.id),
  ])
  return table(['writer', 'project', 'memories', 'since', 'released', 'reason', 'id'], rows)
}

const minute = (moment: string): string => moment.slice(0, 16).replace('T', ' ')

import type { ExportedEvent } from '@daybook/journal/export/export-format'
import type { ChaosNode } from './node.ts'

/** An event of an export, as far as it is compared. */
export type Told = Pick<
  ExportedEvent,
  'sequence' | 'hash' | 'memoryId' | 'version' | 'type' | 'idempotencyKeys'
> & {
  readonly data: {
    readonly state: {
      readonly metadata?: { readonly mark?: string } | null
      readonly forgottenAt?: string | null
    }
  } | null
}

/** A daemon's journal of the project, as its export has it. @throws Error if the export is not complete */
export async function readJournalOf({ daemon, apiKey }: ChaosNode): Promise<Told[]> {
  const response = await fetch(`${daemon.url()}/journal/export?project=default`, {
    headers: { authorization: `Bearer ${apiKey()}` },
  })
  const lines = (await response.text()).trimEnd().split('\n')
  if (!response.ok || !lines.at(-1)?.startsWith('{"end"'))
    throw new Error(`the export of a daemon is not complete: ${lines.at(-1)?.slice(0, 300)}`)
  return lines
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => (JSON.parse(line) as { event: Told }).event)
}

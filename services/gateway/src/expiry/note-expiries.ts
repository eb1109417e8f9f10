import type { AppendOutcome } from '@daybook/journal/append/append-request'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'

/** The same writer, which says of each memory that it writes when it expires. */
export function noteExpiries(writer: JournalWriter, note: (expiresAt: string) => void): JournalWriter {
  const noted = <Outcome extends AppendOutcome>(outcome: Outcome): Outcome => {
    if (!('appended' in outcome) || outcome.appended.written === null) return outcome
    const { expiresAt, forgottenAt } = outcome.appended.memory.state
    if (expiresAt !== null && forgottenAt === null) note(expiresAt)
    return outcome
  }
  return {
    ...writer,
    async append(scope, request) {
      const appended = await writer.append(scope, request)
      noted({ appended })
      return appended
    },
    appendMany: async (scope, requests) => (await writer.appendMany(scope, requests)).map(noted),
  }
}

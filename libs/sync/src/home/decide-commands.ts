import type { AppendMetadata, AppendRequest } from '@daybook/journal/append/append-request'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { DaybookError } from '@daybook/memory/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type Decided, decodeSentCommand, type SentCommand } from '../wire/sent-command.ts'
import { toWire } from '../wire/wire-error.ts'

/** The follower that sends commands, as its key says. */
export interface Sender {
  readonly keyId: string
  readonly keyName: string
}

/**
 * Has a follower's commands decided like any others: their writer is the follower's key, with the agent and the program
 * that its caller named. A Daybook that is the home no more passes them on, so that receipts are always a home's.
 * @param commands as they came
 * @throws UnavailableError if that one does not answer; errors that say nothing about single commands
 */
export async function decideCommands(
  writer: JournalWriter,
  scope: ProjectScope,
  { keyId, keyName }: Sender,
  commands: readonly unknown[],
): Promise<readonly Decided[]> {
  const decoded = commands.map(orRefusal)
  const requests = decoded.flatMap((one) =>
    one instanceof DaybookError ? [] : [toRequest(one, { keyId, keyName })],
  )
  const outcomes = requests.length === 0 ? [] : [...(await writer.appendMany(scope, requests))]
  return decoded.map((one): Decided => {
    if (one instanceof DaybookError) return { error: toWire(one) }
    const outcome = outcomes.shift()
    if (outcome === undefined) throw new Error('a command had no outcome')
    if ('appended' in outcome) {
      const { memory, written, duplicate } = outcome.appended
      const { state, version, sequence, hash } = memory
      return { receipt: { memoryId: state.id, version, sequence, hash, written, duplicate } }
    }
    if (!(outcome.error instanceof DaybookError)) throw outcome.error
    return { error: toWire(outcome.error) }
  })
}

function orRefusal(value: unknown): SentCommand | DaybookError {
  try {
    return decodeSentCommand(value)
  } catch (error) {
    if (error instanceof DaybookError) return error
    throw error
  }
}

function toRequest(
  { key, command, given, givenAt, requestHash, correlationId, causationId, agent, client }: SentCommand,
  { keyId, keyName }: Sender,
): AppendRequest {
  const metadata: AppendMetadata = {
    actor: keyName,
    correlationId,
    causationId,
    writer: {
      key: keyId,
      ...(agent !== undefined && { agent }),
      ...(client !== undefined && { client }),
    },
  }
  return {
    command,
    onlyAtHome: true,
    ...(given !== undefined && { given }),
    ...(requestHash !== undefined && { requestHash: Buffer.from(requestHash, 'hex') }),
    ...(givenAt !== undefined && { givenAt }),
    metadata,
    idempotencyKey: key,
  }
}

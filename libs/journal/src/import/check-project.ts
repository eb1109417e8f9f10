import { CHAIN_START } from '@daybook/memory/event-hash'
import { type ChainedEvent, createChainCheck } from '../chain/check-chain.ts'
import type { ExportedEvent, ExportedKey, ExportedProject } from '../export/export-format.ts'
import { InvalidExportError } from './parse-line.ts'

/** A checked event of an export. */
export interface ImportedEvent extends ChainedEvent {
  /** The hash of the event before it. */
  readonly previous: string
  readonly keys: readonly ExportedKey[]
  /** Characters of its line, as a measure of the memory it takes. */
  readonly size: number
}

/** The project whose events are being read. */
export interface ProjectCheck {
  readonly name: string
  /** Checks the event of the next line. @throws InvalidExportError */
  next(line: number, event: ExportedEvent, size: number): ImportedEvent
  /** Whether all its events have been read. @throws InvalidExportError if they do not end as announced */
  isComplete(line: number): boolean
}

/**
 * Checks a project's events: they count from 1 without a gap, each matches its hash, and the last one is the
 * announced end. Times may go back, as they do after a clock was ahead for a while; the hashes cover them.
 */
export function openProject({ id: projectId, name, events, hash }: ExportedProject): ProjectCheck {
  const chain = createChainCheck({ sequence: 0, hash: CHAIN_START })
  return {
    name,
    next(line, exported, size) {
      const { sequence, hash: previous } = chain.place()
      const wrong = (what: string) => new InvalidExportError(line, what)
      if (exported.sequence !== sequence + 1)
        throw wrong(`is event ${exported.sequence} of the project "${name}" where ${sequence + 1} belongs`)
      const { idempotencyKeys: keys, ...fields } = exported
      const event = { ...fields, projectId }
      const [problem] = chain.next(event)
      if (problem !== undefined) throw wrong(`was changed since it was exported: ${problem.message}`)
      return { ...event, previous, keys, size }
    },
    isComplete(line) {
      const place = chain.place()
      if (place.sequence < events) return false
      if (place.hash !== hash)
        throw new InvalidExportError(line, `does not end the project "${name}" as its beginning says`)
      return true
    },
  }
}

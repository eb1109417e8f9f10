import { CHAIN_START } from '@daybook/memory/event-hash'
import type { ChainedEvent } from '../chain/chain-events.ts'
import { createChainCheck } from '../chain/check-chain.ts'
import type { ExportedEvent, ExportedKey, ExportedProject } from '../export/export-format.ts'
import { InvalidExportError } from './import-errors.ts'

/** An event of an export that has been checked. */
export interface ImportedEvent extends ChainedEvent {
  /** The hash of the event before it. */
  readonly previous: string
  readonly keys: readonly ExportedKey[]
  /** Characters of its line: a measure for what it takes in memory. */
  readonly size: number
}

/** The project of an export that is being read. */
export interface ProjectCheck {
  readonly name: string
  /** The event of the next line. @throws InvalidExportError */
  next(line: number, event: ExportedEvent, size: number): ImportedEvent
  /** Whether all its events have been read. @throws InvalidExportError where they do not end as was said */
  isComplete(line: number): boolean
}

/**
 * Checks a project's events: that they count from 1 on without a gap, that
 * each is what its hash was made of, and that the last one is the end that was announced. Times may go back, as they do where
 * a clock was ahead for a while; the hash covers them.
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

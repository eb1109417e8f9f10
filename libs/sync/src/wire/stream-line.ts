import type { ExportedEvent } from '@daybook/journal/export/export-format'
import { UnavailableError } from '@daybook/memory/errors'
import { LIMITS } from '@daybook/memory/limits'
import { moment, shortString } from '@daybook/memory/text-rules'
import { z } from 'zod'
import { type WireError, wireError } from './wire-error.ts'

/*
 * What a home streams to a follower: UTF-8 text, one JSON object a line.
 *
 *   {"state":{…}}   what else holds for the project; first, and again when it changes
 *   {"event":{…}}   the next event, as in an export
 *   {"head":{…}}    how far the home is: first, after each burst of events, and every 5 s while there are none
 *   {"error":{…}}   why the stream ends, if the home ends it
 */

/** Milliseconds between two `head` lines while nothing happens. A follower that hears nothing takes the home for lost. */
export const HEARTBEAT_MS = 5_000

/** Who is in quarantine in the project. */
interface HomeQuarantine {
  readonly id: string
  readonly keyIds: readonly string[]
  readonly agent: string | null
  readonly reason: string
  readonly beganAt: string
  readonly beganBy: string
}

/** What holds for a project beside its events. */
export interface HomeState {
  readonly project: { readonly id: string; readonly name: string }
  /** That of the home's next event. */
  readonly epoch: number
  /** The oldest reader that can read the journal (`@daybook/postgres/compatibility`). */
  readonly minimumReader: number
  /** The project's text search configuration. */
  readonly language: string
  readonly quarantines: readonly HomeQuarantine[]
  /** Where the project has its home, if the sender follows it itself; null if it is the home. */
  readonly movedTo: string | null
}

/** How far the home's journal has got. */
interface HomeHead {
  readonly sequence: number
  readonly hash: string
}

/** Far more than there are; and keys of one. */
const MOST_QUARANTINES = 1_000

type OtherLine = { readonly state: HomeState } | { readonly head: HomeHead } | { readonly error: WireError }

/** A parsed line, with its characters. An event is checked like a line of an export. */
export type StreamLine = (OtherLine | { readonly event: ExportedEvent }) & { readonly size: number }

const name = shortString(LIMITS.nameCharacters)

const state = z.object({
  project: z.object({ id: z.uuid(), name }),
  epoch: z.int32().min(1),
  minimumReader: z.int32(),
  language: name,
  quarantines: z
    .array(
      z
        .object({
          id: z.uuid(),
          keyIds: z.array(z.uuid()).max(MOST_QUARANTINES),
          agent: name.nullable(),
          reason: name,
          beganAt: moment,
          beganBy: name,
        })
        .refine(({ keyIds, agent }) => keyIds.length > 0 || agent !== null),
    )
    .max(MOST_QUARANTINES),
  movedTo: z
    .url({ protocol: /^https?$/u })
    .max(1_000)
    .nullable(),
}) satisfies z.ZodType<HomeState>

const head = z.object({
  sequence: z.int32().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/u),
}) satisfies z.ZodType<HomeHead>

const line = z.union([z.object({ state }), z.object({ head }), z.object({ error: wireError })])

/**
 * Parses a line that is not an event's.
 * @throws UnavailableError for anything else: a proxy may have cut the line, or answered itself
 */
export function parseStreamLine(text: string): OtherLine {
  const parsed = line.safeParse(parseJson(text))
  // Nothing of it is said: it may be the text of a server that is no home, which must not be shown.
  if (!parsed.success) throw new UnavailableError('the home sent a line that is none of its stream')
  return parsed.data
}

/** Parses what somebody else said. @returns undefined if it is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A conversation of LoCoMo (Maharana et al., ACL 2024). It is for research only, so it is not in this
 * repository.
 */
export interface Conversation {
  readonly conversation: number
  readonly sessions: readonly Session[]
  readonly qa: readonly Question[]
}

interface Session {
  readonly session: number
  /** "1:56 pm on 8 May, 2023" */
  readonly date_time: string
  readonly turns: readonly Turn[]
}

interface Turn {
  /** "D1:3": session 1, turn 3. */
  readonly id: string
  readonly speaker: string
  readonly text: string
  /** A caption of the shared picture. */
  readonly image?: string
}

interface Question {
  readonly question: string
  /** Turn ids; an entry may hold several. */
  readonly evidence: readonly string[]
  /** 1 several pieces of evidence, 2 time, 3 inference, 4 single piece, 5 unanswerable */
  readonly category: number
}

/** Reads the conversations of a folder, `conv-<n>.json` each, in the order of their names. */
export function readConversations(folder: string): Conversation[] {
  return readdirSync(folder)
    .filter((file) => /^conv-\d+\.json$/u.test(file))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Conversation)
}

/** "1:56 pm on 8 May, 2023" → 2023-05-08T13:56:00.000Z. The conversations name no time zone. */
export function sessionTime(dateTime: string): string {
  const parts = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/u.exec(dateTime)
  if (parts === null) throw new Error(`not a session's time: ${dateTime}`)
  const [, hour, minute, half, day, month, year] = parts
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  return new Date(`${day} ${month} ${year} ${String(hours).padStart(2, '0')}:${minute}:00 UTC`).toISOString()
}

/** The turns as `RememberInput`s: one turn a note, the session its context, in order. */
export function* toRememberInputs({ conversation, sessions }: Conversation) {
  for (const { session, date_time: dateTime, turns } of sessions) {
    for (const turn of turns) {
      const picture = turn.image === undefined ? '' : ` [shares ${turn.image}]`
      yield {
        content: { note: { text: `${turn.speaker}: ${turn.text}${picture}` } },
        context: `locomo/${conversation}/session-${session}`,
        categories: [category(conversation)],
        occurredAt: sessionTime(dateTime),
        metadata: { conversation, turn: turn.id },
      }
    }
  }
}

/**
 * The category that tells which conversation a memory is from. It is not searched as text, so it changes no
 * ranking.
 */
export function category(conversation: number): string {
  return `locomo-${conversation}`
}

/** The questions that count: those of categories 1 to 4 with evidence, with their turn ids split. */
export function answerable({
  qa,
}: Conversation): { question: string; category: number; evidence: string[] }[] {
  return qa
    .map(({ question, category: kind, evidence }) => ({
      question,
      category: kind,
      evidence: [
        ...new Set(
          evidence.flatMap((entry) => entry.split(/[;,\s]+/u)).filter((id) => /^D\d+:\d+$/u.test(id)),
        ),
      ],
    }))
    .filter(({ category: kind, evidence }) => kind >= 1 && kind <= 4 && evidence.length > 0)
}

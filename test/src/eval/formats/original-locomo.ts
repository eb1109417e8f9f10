import type { Conversation } from '../../locomo/conversations.ts'

interface OriginalTurn {
  readonly dia_id: string
  readonly speaker: string
  readonly text: string
  readonly blip_caption?: string
}

/** A conversation in LoCoMo's own `locomo10.json`, with sessions in numbered fields. */
interface Original {
  /** "conv-26" */
  readonly sample_id: string
  /** `session_1`: turns; `session_1_date_time`: "1:56 pm on 8 May, 2023". */
  readonly conversation: Readonly<Record<string, unknown>>
  readonly qa: readonly {
    readonly question: string
    readonly evidence?: readonly string[]
    readonly category: number
  }[]
}

/** Converts such conversations to the form that this repository reads. Dates without turns are left out. */
export function originalConversations(originals: readonly unknown[]): Conversation[] {
  return (originals as readonly Original[]).map(({ sample_id: id, conversation, qa }, index) => ({
    conversation: Number(/\d+/u.exec(id)?.[0] ?? index + 1),
    sessions: Object.keys(conversation)
      .flatMap((field) => /^session_(\d+)$/u.exec(field)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b)
      .map((session) => ({
        session,
        date_time: conversation[`session_${session}_date_time`] as string,
        turns: (conversation[`session_${session}`] as readonly OriginalTurn[]).map((turn) => ({
          id: turn.dia_id,
          speaker: turn.speaker,
          text: turn.text,
          ...(turn.blip_caption === undefined ? {} : { image: turn.blip_caption }),
        })),
      })),
    qa: qa.map(({ question, category, evidence = [] }) => ({ question, category, evidence })),
  }))
}

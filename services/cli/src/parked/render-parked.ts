import type { ParkedEvent } from '../client/parked.ts'
import { age } from '../output/age.ts'
import { safeLine } from '../output/safe-text.ts'
import { spoken } from '../output/spoken.ts'
import { table } from '../output/table.ts'

/** Characters of an error in the list; `parked show` has all of it. */
const ERROR = 60

/** One line an event. */
export function renderParkedList(parked: readonly ParkedEvent[], now: number): string {
  if (parked.length === 0) return 'No event is parked.'
  const rows = parked.map((one) => [
    one.sequence,
    safeLine(one.project),
    spoken(one.projection),
    safeLine(one.memoryId),
    one.attempts,
    one.droppedAt === null ? age(one.parkedAt, now) : 'dropped',
    short(safeLine(one.error)),
  ])
  return [
    table(['sequence', 'project', 'projection', 'memory', 'tries', 'parked', 'error'], rows),
    '',
    'All of one:    daybook parked show <sequence>',
    'Try again:     daybook parked retry <memory>, or --all',
    'Pass over it:  daybook parked drop <sequence>',
  ].join('\n')
}

const short = (text: string) => (text.length <= ERROR ? text : `${text.slice(0, ERROR - 1)}…`)

/** Everything about one. */
export function renderParked({ event, ...parked }: ParkedEvent): string {
  const memory = event?.memory ?? null
  return [
    `sequence ${parked.sequence} of ${safeLine(parked.project)}, parked by ${spoken(parked.projection)}`,
    `memory:   ${safeLine(parked.memoryId)}`,
    ...(event === null
      ? ['event:    it is not in the journal']
      : [
          `event:    ${safeLine(event.type)}, version ${event.version}, recorded ${safeLine(event.recordedAt)}`,
        ]),
    ...(event?.status === 'OPAQUE' ? ['content:  this version of Daybook cannot read it'] : []),
    ...(memory === null
      ? []
      : [`title:    ${safeLine(memory.title)} (${safeLine(memory.kind.toLowerCase())})`]),
    `parked:   ${safeLine(parked.parkedAt)}, after ${parked.attempts} tries`,
    ...(parked.droppedAt === null ? [] : [`dropped:  ${safeLine(parked.droppedAt)}`]),
    `error:    ${safeLine(parked.error)}`,
  ].join('\n')
}

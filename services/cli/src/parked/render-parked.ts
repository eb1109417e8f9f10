import { age } from '@daybook/memory/age'
import { safeLine } from '@daybook/memory/safe-text'
import type { ParkedEvent } from '../client/parked.ts'
import { outputColumns } from '../output/columns.ts'
import { shorten } from '../output/shorten.ts'
import { spoken } from '../output/spoken.ts'
import { table } from '../output/table.ts'
import { wrapBehind } from '../output/wrap.ts'

/** Characters of an error in the list on a terminal; `parked show` has all of it. */
const ERROR = 60

/** A table with one line per parked event. */
export function renderParkedList(
  parked: readonly ParkedEvent[],
  now: number,
  columns = outputColumns(),
): string {
  if (parked.length === 0) return 'No event is parked.'
  const rows = parked.map((one) => [
    one.sequence,
    safeLine(one.project),
    spoken(one.projection),
    safeLine(one.memoryId),
    one.attempts,
    one.droppedAt === null ? age(one.parkedAt, now) : 'dropped',
    shorten(safeLine(one.error), ERROR, columns),
  ])
  return [
    table(['sequence', 'project', 'projection', 'memory', 'tries', 'parked', 'error'], rows, columns),
    '',
    'All of one:    daybook parked show <sequence>',
    'Try again:     daybook parked retry <memory>, or --all',
    'Pass over it:  daybook parked drop <sequence>',
  ].join('\n')
}

/** All details of one parked event. */
export function renderParked({ event, ...parked }: ParkedEvent, columns = outputColumns()): string {
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
      : [
          wrapBehind(
            'title:    ',
            `${safeLine(memory.title)} (${safeLine(memory.kind.toLowerCase())})`,
            columns,
          ),
        ]),
    `parked:   ${safeLine(parked.parkedAt)}, after ${parked.attempts} tries`,
    ...(parked.droppedAt === null ? [] : [`dropped:  ${safeLine(parked.droppedAt)}`]),
    wrapBehind('error:    ', safeLine(parked.error), columns),
  ].join('\n')
}

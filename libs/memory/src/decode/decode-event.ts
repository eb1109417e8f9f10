import { z } from 'zod'
import { check } from '../check.ts'
import type { CommonFieldName } from '../common-fields.ts'
import { ValidationError } from '../errors.ts'
import type { EventPayload, EventType } from '../events.ts'
import { isUuid } from '../id.ts'
import { KIND_NAMES, type KindName, kindNamed } from '../kinds/index.ts'
import type { Field } from '../kinds/kind.ts'
import { LIMITS } from '../limits.ts'
import { INT4_MAX, plainObject } from './forms.ts'

/*
 * The form of what events carry. Only types: the limits of texts were others when old events were written, and no reader
 * depends on them. Unknown fields stay, because a newer Daybook may have written them.
 */

const UTC = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/u
const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length

/** As the journal writes it. `Date` takes the 31st of February for a day in March. */
function isMoment(text: string): boolean {
  const date = new Date(text)
  return (
    UTC.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString().slice(0, SECONDS) === text.slice(0, SECONDS)
  )
}

const text = z.string('must be a string')
const texts = z.array(text, 'must be a list of strings')
const moment = text.refine(isMoment, 'must be a time in UTC')
const version = z.int('must be a whole number').min(1).max(INT4_MAX)
/** In any case: journals have ids in upper case that were taken so by mistake. */
const uuid = text.refine(isUuid, 'must be a UUID')
const partNumber = z.int('must be a whole number').min(1).max(LIMITS.documentParts)

const writer = z.looseObject({ key: uuid, agent: text.optional(), client: text.optional() })

const part = z.looseObject({
  document: uuid,
  number: partNumber,
  of: partNumber.optional(),
  digest: text.optional(),
})

/** A field that older events lack is nullish, never only nullable: they would all be refused. */
const common = {
  agent: text.nullable(),
  labels: texts,
  categories: texts,
  importance: z.int('must be a whole number').min(0).max(LIMITS.importanceMax),
  context: text.nullable(),
  metadata: plainObject,
  occurredAt: moment.nullable(),
  expiresAt: moment.nullable(),
  supersedes: uuid.nullish(),
} satisfies Record<CommonFieldName, z.ZodType>

const state = z.looseObject({
  id: uuid,
  kind: z.enum(KIND_NAMES, 'must be a kind that this Daybook knows'),
  content: plainObject,
  ...common,
  createdAt: moment,
  updatedAt: moment,
  forgottenAt: moment.nullable(),
  part: part.optional(),
  writtenBy: writer.optional(),
  editedBy: writer.optional(),
  textBy: z.record(z.string(), writer.nullable()).optional(),
})

const eventData = z.looseObject({
  state,
  changed: texts,
  undoneTo: z.int('must be a whole number').min(0).max(INT4_MAX).optional(),
  restoredVersion: version.optional(),
  writer: writer.optional(),
})

function contentField({ shape, required }: Field): z.ZodType {
  const form =
    shape === 'string' ? text : shape === 'strings' ? texts : shape === 'moment' ? moment : z.enum(shape)
  return required ? form : form.optional()
}

const CONTENTS = Object.fromEntries<z.ZodType>(
  KIND_NAMES.map((kind) => [
    kind,
    z.looseObject(
      Object.fromEntries(
        Object.entries(kindNamed(kind).fields).map(([name, field]) => [name, contentField(field)]),
      ),
    ),
  ]),
) as Record<KindName, z.ZodType>

/**
 * The payload of an event, from wherever its data came: an import, a home, the bus, the database. Nothing else makes a state of
 * JSON, so that whoever has one may rely on its types.
 * @param memoryId the memory that the event is about, whose state it must be
 * @returns the data as it is, with the state's id in lower case
 * @throws ValidationError
 */
export function decodeEvent(type: EventType, memoryId: string, data: unknown): EventPayload {
  const checked = check('data', eventData, data)
  const { kind, id } = checked.state
  check(`data.state.content`, CONTENTS[kind], checked.state.content)
  if (id.toLowerCase() !== memoryId)
    throw new ValidationError('data.state.id', 'must be that of the event’s memory')
  if (checked.state.part !== undefined && kind !== 'document')
    throw new ValidationError('data.state.part', `cannot be of a ${kind}: only documents have parts`)
  const given = data as EventPayload['data']
  const decoded = id === memoryId ? given : { ...given, state: { ...given.state, id: memoryId } }
  return { type, data: decoded }
}

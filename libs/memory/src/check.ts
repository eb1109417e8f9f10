import type { z } from 'zod'
import { ValidationError } from './errors.ts'

/**
 * Says where an input is wrong, and how. Appends zod's path to the field's own, so that list items are named
 * too.
 */
function failure(field: string, issue: z.core.$ZodIssue | undefined): ValidationError {
  const path = [field, ...(issue?.path ?? []).map(String)].join('.')
  return new ValidationError(path, issue?.message ?? 'is invalid')
}

/** Returns the checked value. @throws ValidationError naming `field` and the limit. */
export function check<Schema extends z.ZodType>(
  field: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (!result.success) throw failure(field, result.error.issues[0])
  return result.data
}

import { formatMoment } from './ago.tsx'

/** Names of fields that read badly when they are only split into words. */
const NAMES: Readonly<Record<string, string>> = {
  externalId: 'Id elsewhere',
  occurredAt: 'When it happened',
  expiresAt: 'Expires',
}

/** A field's name in words: `antiPattern` is `Anti pattern`. */
export function fieldName(field: string): string {
  const own = field.replace(/^content\./u, '')
  const words = own.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
  return NAMES[own] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u

/** Any value of a field as text; moments as the viewer's clock says them. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(String).join(', ')
  if (typeof value === 'object') return JSON.stringify(value, null, 2)
  const text = String(value)
  return MOMENT.test(text) ? formatMoment(text) : text
}

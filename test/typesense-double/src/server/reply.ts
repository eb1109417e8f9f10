/** The double's answer to a request. */
export interface Reply {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer with a JSON body. */
export const json = (body: unknown, status = 200, contentType = JSON_TYPE): Reply => ({
  status,
  contentType,
  text: toJson(body),
})

/** An answer with a plain text body. */
export const text = (body: string): Reply => ({
  status: 200,
  contentType: 'text/plain; charset=utf-8',
  text: body,
})

/** An answer with the server's error format. */
export const failed = (status: number, message: string): Reply => json({ message }, status)

/** The failure of a request, or of one search or line in it. */
export class RequestFailure extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Writes JSON with bigints as numbers: a text_match has 60 bits, which the real server writes in full. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => `${JSON.stringify(name)}:${toJson(inner)}`)
      .join(',')}}`
  return JSON.stringify(value)
}

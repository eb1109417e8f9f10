// JSON escapes C0 controls itself. These are as dangerous on a terminal; escaped, they are the same data.
const UNESCAPED = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** JSON that is safe to show on a terminal. One line, unless `indent` is given. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

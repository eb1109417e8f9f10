import { safeText } from '@daybook/memory/safe-text'
import { decode } from 'html-entities'
import type { Painter } from './paint.ts'

/**
 * Converts the daemon's snippet (escaped HTML with matches in `<mark>`) for a terminal. It replaces the marks
 * before it unescapes the rest, so a memory that itself says `<mark>` shows it.
 */
export function renderSnippet(html: string, paint: Painter): string {
  return html
    .split(/(<mark>.*?<\/mark>)/su)
    .map((part) => {
      const marked = /^<mark>(.*)<\/mark>$/su.exec(part)
      const text = safeText(decode(marked?.[1] ?? part)).replace(/\s+/gu, ' ')
      return marked === null ? text : paint.match(text)
    })
    .join('')
    .trim()
}

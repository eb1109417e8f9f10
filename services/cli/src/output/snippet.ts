import type { Painter } from './paint.ts'
import { safeText } from './safe-text.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

function unescapeHtml(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/gu, (entity) => ENTITIES[entity] ?? entity)
}

/**
 * The daemon's snippet (HTML: escaped, matches in `<mark>`) for a terminal. The marks are taken before the rest is
 * unescaped, so a memory that itself says `<mark>` shows it.
 */
export function renderSnippet(html: string, paint: Painter): string {
  return html
    .split(/(<mark>.*?<\/mark>)/su)
    .map((part) => {
      const marked = /^<mark>(.*)<\/mark>$/su.exec(part)
      const text = safeText(unescapeHtml(marked?.[1] ?? part)).replace(/\s+/gu, ' ')
      return marked === null ? text : paint.match(text)
    })
    .join('')
    .trim()
}

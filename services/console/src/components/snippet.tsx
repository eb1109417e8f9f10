import type { VNode } from 'preact'

/**
 * A snippet of the API: HTML in which matches stand in `<mark>` and everything else is escaped. It is read as exactly
 * that, so that whatever a memory holds stays text.
 */
export function Snippet({ html }: { readonly html: string }): VNode {
  return (
    <>
      {html.split(/<mark>(.*?)<\/mark>/su).map((part, index) => {
        // Every second part is what the pattern caught.
        const text = unescape(part)
        return index % 2 === 1 ? <mark key={index}>{text}</mark> : text
      })}
    </>
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

const unescape = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|quot|#39|amp);/gu, (entity) => ENTITIES[entity] ?? entity)

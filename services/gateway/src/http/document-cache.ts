import type { DocumentNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'

/**
 * How many characters of documents are kept parsed, 80 bytes of heap for each: 20 MB. The CLI's documents have
 * some 30,000 together.
 */
const CHARACTERS = 250_000

/**
 * Keeps documents parsed and validated, so that a client that sends the same again pays for neither. Yoga's own
 * cache counts documents, not their sizes, and keeps the wrong ones too, each with its whole request: a thousand of
 * 1 MB took 1 GB.
 */
export function cacheDocuments(): Plugin {
  const valid = new LRUCache<string, DocumentNode>({
    maxSize: CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  })
  const isValid = new WeakSet<DocumentNode>()
  return {
    onParse({ params: { source }, setParsedDocument }) {
      const document = valid.get(source.toString())
      if (document !== undefined) setParsedDocument(document)
    },
    onValidate({ params: { documentAST }, setResult }) {
      if (isValid.has(documentAST)) return setResult([])
      return ({ result }) => {
        const text = documentAST.loc?.source.body
        if (result.length > 0 || text === undefined) return
        isValid.add(documentAST)
        valid.set(text, documentAST)
      }
    },
  }
}

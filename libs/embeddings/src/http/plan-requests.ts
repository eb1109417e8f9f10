import { estimateTokens } from './estimate-tokens.ts'

/** Cuts texts into requests of at most so many texts and estimated tokens, in their order. */
export function planRequests(
  texts: readonly string[],
  { maxTexts, maxTokens }: { readonly maxTexts: number; readonly maxTokens: number },
): string[][] {
  const requests: string[][] = []
  let request: string[] = []
  let tokens = 0
  for (const text of texts) {
    const more = estimateTokens(text)
    if (request.length > 0 && (request.length >= maxTexts || tokens + more > maxTokens)) {
      requests.push(request)
      request = []
      tokens = 0
    }
    request.push(text)
    tokens += more
  }
  if (request.length > 0) requests.push(request)
  return requests
}

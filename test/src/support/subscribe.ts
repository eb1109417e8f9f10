/**
 * Subscribes over SSE and yields each answer until the stream ends.
 * @throws if the stream breaks or is aborted
 */
export async function* subscribe<Answer>(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  request: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): AsyncGenerator<Answer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${apiKey}`,
    },
    body: JSON.stringify(request),
    signal,
  })
  if (response.body === null) return
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const messages = text.split('\n\n')
    text = messages.pop() ?? ''
    for (const message of messages) {
      const json = /^data: ?(\{.*\})$/mu.exec(message)?.[1]
      if (json !== undefined) yield JSON.parse(json) as Answer
    }
  }
  // An error before the first event may come as plain JSON.
  if (text.startsWith('{')) yield JSON.parse(text) as Answer
}

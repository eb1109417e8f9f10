import { rawRequest, statusOf } from '@daybook/runtime/testing/raw-http'
import type { FuzzRequest } from './fuzz-request.ts'

/** What a request was answered with. */
export interface Answer {
  /** Null if the connection was closed without an answer. */
  readonly status: number | null
  readonly text: string
}

/** Sends one request of the fuzz run, with the key unless its bytes say everything. */
export async function send(url: string, key: string, request: FuzzRequest): Promise<Answer> {
  try {
    if (request.kind === 'raw') {
      const text = await rawRequest(url, request.bytes, 400)
      return { status: statusOf(text), text }
    }
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': request.contentType },
      body: request.body,
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    // It may have ended, which is looked at after each part of the run.
    return { status: null, text: (error as Error).message }
  }
}

/** What must not be in an answer, as a sentence; null if it is right. @param marker of a project that the key does not open */
export function faultOf({ status, text }: Answer, marker: string): string | null {
  if (status === 500) return `answered with 500: ${text.slice(0, 500)}`
  if (text.includes('"INTERNAL"')) return `answered with an error of ours: ${text.slice(0, 500)}`
  if (text.toLowerCase().includes(marker)) return `showed another project: ${text.slice(0, 500)}`
  return null
}

import type { Action } from './action.ts'
import type { Collection } from './collection.ts'
import { jsonError } from './json-error.ts'
import { RequestFailure } from './reply.ts'
import type { Asked } from './route.ts'

/** Imports documents and returns one line of answer for each line of the request, failed or not. */
export function importLines(collection: Collection, { text, query, faults }: Asked): string {
  const action = (query.get('action') ?? 'create') as Action
  const withId = query.get('return_id') === 'true'
  const withDocument = query.get('return_doc') === 'true'
  const answer = (line: string) => {
    try {
      const given = parse(line)
      const reason = faults.failingLine(given)
      if (reason !== null) throw new RequestFailure(500, reason)
      const document = collection.write(action, given)
      return {
        ...(withDocument ? { document } : {}),
        ...(withId ? { id: document.id } : {}),
        success: true,
      }
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error
      return { code: error.status, error: error.message, success: false }
    }
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.stringify(answer(line)))
    .join('\n')
}

function parse(line: string): Record<string, unknown> {
  let given: unknown
  try {
    given = JSON.parse(line)
  } catch (error) {
    throw new RequestFailure(400, `Bad JSON: ${jsonError(line, error)}`)
  }
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    throw new RequestFailure(400, 'Bad JSON: not a properly formed document.')
  return given as Record<string, unknown>
}

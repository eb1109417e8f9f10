import { pause } from '@daybook/runtime/backoff'
import type { JsonDocument } from '../client/client.ts'
import { isPassingLine, TypesenseUnavailableError } from '../client/errors.ts'
import type { LeasedProject } from './with-project-lease.ts'
import type { GenerationWriter } from './writer.ts'

/** A document that Typesense refused, with its reason. */
export interface RefusedDocument {
  readonly document: JsonDocument
  readonly code: number
  readonly error: string
}

/**
 * Typesense refused documents in the answer to an import. It would refuse them again, unless somebody changes
 * something.
 */
export class ImportRefusedError extends Error {
  constructor(refused: readonly RefusedDocument[], sent: number) {
    const said = refused.slice(0, 5).map(({ document, code, error }) => `${document.id}: ${error} (${code})`)
    super(`Typesense refused ${refused.length} of ${sent} documents: ${said.join('; ')}`)
    this.name = 'ImportRefusedError'
  }
}

/** Bytes of one import: enough for 100 memories of usual size, and answered far within the timeout. */
const BYTES_PER_CALL = 2 * 1024 * 1024

/** Milliseconds before the refused lines of an import are sent again. */
const RETRY_MS = 50

/**
 * Imports documents and checks every line of the answer, because the status is always 200. Failed lines are
 * sent again.
 *
 * @returns the documents that were refused again
 * @throws TypesenseUnavailableError, also if a line reports a temporary failure or lines of the answer are
 *   missing
 */
export async function importDocuments(
  writer: GenerationWriter,
  held: LeasedProject,
  action: 'upsert' | 'update',
  documents: readonly JsonDocument[],
  memoryOf: (document: JsonDocument) => string,
): Promise<RefusedDocument[]> {
  const refused: RefusedDocument[] = []
  for (const page of pages(documents)) {
    const memoryIds = new Set(page.map(({ document }) => memoryOf(document)))
    const send = (lines: readonly Line[]) =>
      held.write(memoryIds, () => sendLines(writer, action, lines, { whole: lines === page }))
    const first = await send(page)
    const again = page.filter(({ document }) =>
      // An update of a missing document would fail again.
      first.some((one) => one.document === document && !(action === 'update' && one.code === 404)),
    )
    if (again.length === 0) refused.push(...first)
    else {
      await pause(RETRY_MS)
      const sent = new Set(again.map(({ document }) => document))
      refused.push(...first.filter((one) => !sent.has(one.document)), ...(await send(again)))
    }
  }
  return refused
}

interface Line {
  readonly document: JsonDocument
  readonly json: string
}

function* pages(documents: readonly JsonDocument[]): Generator<Line[]> {
  let page: Line[] = []
  let bytes = 0
  for (const document of documents) {
    const json = JSON.stringify(document)
    if (page.length > 0 && bytes + json.length > BYTES_PER_CALL) {
      yield page
      page = []
      bytes = 0
    }
    page.push({ document, json })
    bytes += json.length
  }
  if (page.length > 0) yield page
}

/** From so many lines on, not all fail because of their own content. */
const MANY = 10

async function sendLines(
  { client, collection }: GenerationWriter,
  action: 'upsert' | 'update',
  lines: readonly Line[],
  { whole }: { whole: boolean },
): Promise<RefusedDocument[]> {
  const answer = await client.importLines(
    collection,
    action,
    lines.map(({ json }) => json),
  )
  if (answer.length !== lines.length)
    throw new TypesenseUnavailableError(
      `Typesense answered ${answer.length} lines to an import of ${lines.length}`,
      true,
    )
  const refused = lines.flatMap(({ document }, index) => {
    const { success, code, error } = readLine(answer[index] ?? '')
    return success ? [] : [{ document, code, error }]
  })
  // If every one of many lines fails in the server itself, the documents are not the cause. With few lines
  // they may be: the search for the bad ones sends ever smaller batches, and lines that are sent again have
  // all failed before.
  const allFail =
    whole &&
    lines.length >= MANY &&
    refused.length === lines.length &&
    refused.every(({ code }) => code >= 500)
  const passing = allFail ? refused[0] : refused.find(({ code, error }) => isPassingLine(code, error))
  if (passing !== undefined)
    throw new TypesenseUnavailableError(
      `Typesense cannot take documents now (${passing.code} ${passing.error})`,
      false,
    )
  return refused
}

function readLine(line: string): { success: boolean; code: number; error: string } {
  try {
    const { success, code, error } = JSON.parse(line) as Record<string, unknown>
    // The message may quote the document, which must not get into logs.
    return { success: success === true, code: Number(code ?? 0), error: String(error ?? '').slice(0, 200) }
  } catch {
    return { success: false, code: 0, error: 'its line of the answer cannot be read' }
  }
}

import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { grouped } from '@daybook/memory/text-rules'
import type { Line } from '@daybook/runtime/read-lines'
import { UsageError } from '../command-line.ts'
import type { Connection } from '../settings.ts'
import { type BadLine, compareWithMemory, reviseToInput } from './entry.ts'
import type { ForeignFile, ImportItem, KeyedInput } from './formats/format.ts'
import { withinLimits } from './within-limits.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
}

/** The error for a path that cannot be read. */
export function unreadable(path: string, error: unknown): UsageError {
  const { code, message } = error as NodeJS.ErrnoException
  return new UsageError(`${path} cannot be imported: ${REASONS[code ?? ''] ?? message}`)
}

/** Opens a file, or standard input for "-". The size is null where it is not known. @throws UsageError */
export async function openSource(file: string): Promise<{ source: Readable; totalBytes: number | null }> {
  if (file === '-') return { source: process.stdin, totalBytes: null }
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
    const handle = await open(file)
    return {
      source: createReadStream('', { fd: handle, highWaterMark: 256 * 1024 }),
      totalBytes: stats.isFile() ? stats.size : null,
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** What to add to every memory of an import. */
export interface Additions {
  readonly context?: string | undefined
  readonly labels?: readonly string[] | undefined
}

/** A foreign file as lines that an import can send. */
interface ForeignLines {
  readonly lines: AsyncIterable<Line>
  /** Where the item of a line stands in the original. */
  readonly whereIs: (line: number) => string
  readonly handled: () => Handled
}

/** What needed no line: memories of this Daybook that their files changed, or that are as their files say. */
export interface Handled extends Pick<Counts, 'revised' | 'alreadyThere'> {
  readonly lastSequence: number
  /** What was left out on purpose, in the plural, and how often. */
  readonly leftOut: ReadonlyMap<string, number>
}

/**
 * Reads the items of a foreign file, one a line. A file that was written from a memory of this Daybook revises that memory.
 * @param onBad is told of what cannot be imported
 */
export function foreignLines(
  {
    file,
    connection,
    additions,
  }: {
    readonly file: ForeignFile
    readonly connection: Connection
    readonly additions: Additions
  },
  onBad: (bad: BadLine) => void,
): ForeignLines {
  const places: string[] = []
  const handled = { revised: 0, alreadyThere: 0, lastSequence: 0, leftOut: new Map<string, number>() }

  /** Whether the item was handled without remembering it. */
  const revises = async (id: string, input: KeyedInput, line: number): Promise<boolean> => {
    const comparison = await compareWithMemory(connection, id, input)
    if (comparison === 'unknown') return false
    if (comparison === 'same') handled.alreadyThere += 1
    else if (comparison === 'forgotten')
      onBad({ line, field: null, message: `${id} is forgotten here; bring it back:  daybook restore ${id}` })
    else {
      const sequence = await reviseToInput(connection, id, input)
      handled.revised += 1
      handled.lastSequence = Math.max(handled.lastSequence, sequence)
    }
    return true
  }

  async function* lines(): AsyncGenerator<Line> {
    for await (const item of fittingItems(file, additions)) {
      if ('leftOut' in item) {
        countLeftOut(handled.leftOut, item.leftOut)
        continue
      }
      const number = places.push(item.where)
      if ('problem' in item) {
        yield { number, text: null, problem: item.problem, readBytes: number }
        continue
      }
      const text = keptJson(item.input)
      if (item.id !== undefined && (await revises(item.id, JSON.parse(text) as KeyedInput, number))) continue
      yield { number, text, problem: '', readBytes: number }
    }
  }
  return { lines: lines(), whereIs: (line) => places[line - 1] ?? '', handled: () => handled }
}

/** As JSON, with U+FFFD in place of what no store keeps: U+0000, and halves of surrogate pairs. */
const keptJson = (input: KeyedInput): string =>
  JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\u0000', '\uFFFD') : value,
  )

/** The input with what the command line adds. What the original says goes before it. */
function withAdditions(input: KeyedInput, { context, labels = [] }: Additions): KeyedInput {
  return {
    ...input,
    context: input.context ?? context,
    labels:
      labels.length === 0 || !Array.isArray(input.labels ?? [])
        ? input.labels
        : [...new Set([...(input.labels ?? []), ...labels])],
  }
}

/** The items of a file as they can be remembered: with what the command line adds, and within the limits of the domain. */
export async function* fittingItems(file: ForeignFile, additions: Additions): AsyncGenerator<ImportItem> {
  const first = [file.format.name, ...(additions.labels ?? [])]
  for await (const item of file.read()) {
    if (!('input' in item)) {
      yield item
      continue
    }
    const { where } = item
    const { inputs, leftOut } = withinLimits(withAdditions(item.input, additions), first)
    for (const what of leftOut) yield { where, leftOut: what }
    for (const [part, input] of inputs.entries()) yield { where, input, id: part === 0 ? item.id : undefined }
  }
}

/** What became of the memories of an import. */
export interface Counts {
  readonly imported: number
  /** Memories of this Daybook that a file changed. */
  readonly revised: number
  readonly alreadyThere: number
  readonly failed: number
}

/** The counts in words, without those that are 0. */
export function describeCounts({ imported, revised, alreadyThere, failed }: Counts): string {
  return [
    `${grouped(imported)} imported`,
    ...(revised > 0 ? [`${grouped(revised)} revised`] : []),
    ...(alreadyThere > 0 ? [`${grouped(alreadyThere)} already there`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
  ].join(', ')
}

/** Counts one more thing that is left out. */
export function countLeftOut(leftOut: Map<string, number>, what: string): void {
  leftOut.set(what, (leftOut.get(what) ?? 0) + 1)
}

/** `; left out: 12 tool calls, 1 file`, or nothing. */
export function describeLeftOut(leftOut: ReadonlyMap<string, number>): string {
  const parts = [...leftOut].map(
    ([what, count]) => `${grouped(count)} ${count === 1 ? what.replace(/s(?= |$)/u, '') : what}`,
  )
  return parts.length === 0 ? '' : `; left out: ${parts.join(', ')}`
}

import { bytes } from '@daybook/memory/text-rules'
import { z } from 'zod'
import { DaybookClientError } from '../client-error.ts'
import type { DaybookClient } from '../create-client.ts'
import type { RequestOptions } from '../http/request.ts'

/** Where the files are kept. */
export interface MemoryFilesOptions {
  /**
   * The context of the files, and the beginning of their documents' ids: one for each user or agent that has files of its own.
   * At most 100 characters. Default `memory-files`.
   */
  readonly folder?: string | undefined
}

/** What models are taught to call the folder. */
const ROOT = '/memories'

/** More would be cut into several documents, whose parts cannot be edited as one text. */
const MOST_BYTES = 64 * 1024

const LEVELS = 2

const path = z.string()
const COMMAND = z.discriminatedUnion('command', [
  z.object({
    command: z.literal('view'),
    path,
    view_range: z.tuple([z.int().min(1), z.int().min(-1)]).nullish(),
  }),
  z.object({ command: z.literal('create'), path, file_text: z.string() }),
  z.object({
    command: z.literal('str_replace'),
    path,
    old_str: z.string().min(1),
    new_str: z.string().nullish(),
  }),
  z.object({ command: z.literal('insert'), path, insert_line: z.int(), insert_text: z.string() }),
  z.object({ command: z.literal('delete'), path }),
  z.object({ command: z.literal('rename'), old_path: path, new_path: path }),
])

/** A command of the memory tool, as a model sends it. */
type Command<Name extends string> = Extract<z.output<typeof COMMAND>, { readonly command: Name }>

interface MemoryFile {
  /** With `/memories` before it. */
  readonly path: string
  readonly text: string
  readonly memoryId: string
  readonly version: number
}

/** What is wrong with a command, for the model. */
class Refusal extends Error {}

/**
 * The files of the memory tool that models of Anthropic know as `memory_20250818`: `view`, `create`, `str_replace`, `insert`,
 * `delete` and `rename` below `/memories`. Each file is a document, so searches find it, and each edit is an event: it has a history,
 * and `client.undo` takes it back. A file that is renamed is a new document, and the old one is forgotten.
 *
 * Commands and answers are as in Anthropic's description of the tool (docs.claude.com, "Memory tool"). Differences: a file cannot be
 * empty and has at most 64 KiB (of a longer document that something else indexed there, it is the first part), and there are no
 * empty folders.
 *
 * @returns a function that carries out what the model sent, and answers with a text for it, also where something is refused.
 * It throws only the reason of a `signal` that ended the call
 */
export function memoryFiles(
  client: Pick<DaybookClient, 'recallDocument' | 'memories' | 'indexDocument' | 'revise' | 'forget'>,
  { folder = 'memory-files' }: MemoryFilesOptions = {},
): (command: unknown, options?: RequestOptions) => Promise<string> {
  const idOf = (at: string) => folder + at.slice(ROOT.length)

  return async (given, options = {}) => {
    try {
      const command = COMMAND.safeParse(given)
      if (!command.success) throw new Refusal(z.prettifyError(command.error).replaceAll('\n', ' '))
      return await carryOut(command.data, options)
    } catch (error) {
      if (error instanceof Refusal || error instanceof DaybookClientError) return `Error: ${error.message}`
      throw error
    }
  }

  async function carryOut(command: z.output<typeof COMMAND>, options: RequestOptions): Promise<string> {
    switch (command.command) {
      case 'view':
        return view(command, options)
      case 'create':
        return create(command, options)
      case 'str_replace':
        return replace(command, options)
      case 'insert':
        return insert(command, options)
      case 'delete':
        return remove(command, options)
      case 'rename':
        return rename(command, options)
    }
  }

  async function view({ path: given, view_range }: Command<'view'>, options: RequestOptions) {
    const at = checkPath(given)
    const files = await filesIn(at, options)
    const [file] = files
    if (file?.path !== at) return listing(at, files)
    const lines = file.text.split('\n')
    const [first, last] = view_range ?? [1, -1]
    const end = last === -1 ? lines.length : last
    if (first > lines.length || end < first)
      throw new Refusal(
        `Invalid \`view_range\`: [${first}, ${last}]. It should be within the lines of the file: [1, ${lines.length}]`,
      )
    return [`Here's the content of ${at} with line numbers:`, ...numbered(lines, first, end)].join('\n')
  }

  async function create({ path: given, file_text }: Command<'create'>, options: RequestOptions) {
    const at = checkPath(given)
    if (at === ROOT) throw new Refusal(`${ROOT} is a folder`)
    await checkFree(at, options)
    await write(at, file_text, options)
    return `File created successfully at: ${at}`
  }

  async function replace({ path: given, old_str, new_str }: Command<'str_replace'>, options: RequestOptions) {
    const at = checkPath(given)
    const edited = await edit(at, options, (text) => {
      const places = positionsOf(text, old_str)
      if (places.length === 0)
        throw new Refusal(
          `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${at}.`,
        )
      if (places.length > 1)
        throw new Refusal(
          `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${places.map((place) => lineAt(text, place)).join(', ')}. Please ensure it is unique`,
        )
      const [place = 0] = places
      return text.slice(0, place) + (new_str ?? '') + text.slice(place + old_str.length)
    })
    const changed = lineAt(edited.before, edited.before.indexOf(old_str))
    const lines = edited.after.split('\n')
    const end = changed + (new_str ?? '').split('\n').length - 1
    return [
      'The memory file has been edited. Here is the changed part with line numbers:',
      ...numbered(lines, Math.max(1, changed - 2), Math.min(lines.length, end + 2)),
    ].join('\n')
  }

  async function insert(
    { path: given, insert_line, insert_text }: Command<'insert'>,
    options: RequestOptions,
  ) {
    const at = checkPath(given)
    await edit(at, options, (text) => {
      const lines = text.split('\n')
      if (insert_line < 0 || insert_line > lines.length)
        throw new Refusal(
          `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        )
      return lines.toSpliced(insert_line, 0, insert_text.replace(/\n$/u, '')).join('\n')
    })
    return `The file ${at} has been edited.`
  }

  async function remove({ path: given }: Command<'delete'>, options: RequestOptions) {
    const at = checkPath(given)
    if (at === ROOT) throw new Refusal(`${ROOT} itself cannot be deleted`)
    const files = await filesAt(at, options)
    for (const { memoryId, version } of files)
      await client.forget(memoryId, { ...options, expectedVersion: version })
    return `Successfully deleted ${at}`
  }

  async function rename({ old_path, new_path }: Command<'rename'>, options: RequestOptions) {
    const [from, to] = [checkPath(old_path), checkPath(new_path)]
    if (from === ROOT || to === ROOT || isWithin(to, from))
      throw new Refusal(`${from} cannot be renamed to ${to}`)
    const files = await filesAt(from, options)
    await checkFree(to, options)
    for (const { path: before, text, memoryId, version } of files) {
      await write(to + before.slice(from.length), text, options)
      await client.forget(memoryId, { ...options, expectedVersion: version })
    }
    return `Successfully renamed ${from} to ${to}`
  }

  async function find(at: string, options: RequestOptions): Promise<MemoryFile | null> {
    const { hits } = await client.recallDocument(idOf(at), { ...options, limit: 1 })
    const memory = hits[0]?.memory
    const document = memory?.content.document
    if (memory === undefined || document?.externalId !== idOf(at)) return null
    return { path: at, text: document.content, memoryId: memory.id, version: memory.version }
  }

  /** The files in a folder, by their paths; a file is in itself, and is looked up without the others. */
  async function filesIn(at: string, options: RequestOptions): Promise<readonly MemoryFile[]> {
    const file = at === ROOT ? null : await find(at, options)
    if (file !== null) return [file]
    const files: MemoryFile[] = []
    const filter = { kinds: ['DOCUMENT' as const], context: folder }
    for await (const { id: memoryId, version, content } of client.memories({ ...options, filter })) {
      const { externalId, content: text } = content.document ?? {}
      if (text === undefined || externalId?.startsWith(`${folder}/`) !== true) continue
      const place = ROOT + externalId.slice(folder.length)
      if (isWithin(place, at)) files.push({ path: place, text, memoryId, version })
    }
    return files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  }

  /** @throws Refusal if there is neither a file nor a folder */
  async function filesAt(at: string, options: RequestOptions): Promise<readonly MemoryFile[]> {
    const files = await filesIn(at, options)
    if (files.length === 0) throw new Refusal(`The path ${at} does not exist`)
    return files
  }

  async function checkFree(at: string, options: RequestOptions): Promise<void> {
    if ((await filesIn(at, options)).length > 0) throw new Refusal(`The destination ${at} already exists`)
    for (let folderOf = parentOf(at); folderOf !== ROOT; folderOf = parentOf(folderOf))
      if ((await find(folderOf, options)) !== null) throw new Refusal(`${folderOf} is a file`)
  }

  async function write(at: string, text: string, options: RequestOptions): Promise<void> {
    checkText(text)
    await client.indexDocument({ id: idOf(at), content: text, context: folder }, options)
  }

  /** Changes a file's text; again from the start if somebody else changed it meanwhile. */
  async function edit(
    at: string,
    options: RequestOptions,
    change: (text: string) => string,
  ): Promise<{ before: string; after: string }> {
    for (;;) {
      const file = await find(at, options)
      if (file === null) throw new Refusal(`The path ${at} does not exist. Please provide a valid path.`)
      const after = change(file.text)
      checkText(after)
      try {
        const input = { content: { document: { content: after } } }
        await client.revise(file.memoryId, input, { ...options, expectedVersion: file.version })
        return { before: file.text, after }
      } catch (error) {
        if (!(error instanceof DaybookClientError && error.code === 'VERSION_CONFLICT')) throw error
      }
    }
  }
}

/** @throws Refusal unless the path is `/memories` or below it */
function checkPath(given: string): string {
  const at = given.replace(/\/+$/u, '')
  const names = at.split('/').slice(1)
  if (`/${names[0]}` !== ROOT || names.some((name) => name === '' || name === '.' || name === '..'))
    throw new Refusal(`The path ${given} is not below ${ROOT}. Please provide a valid path.`)
  return at
}

function checkText(text: string): void {
  if (text.trim() === '') throw new Refusal('A file cannot be empty: delete it instead')
  const size = bytes(text)
  if (size > MOST_BYTES)
    throw new Refusal(
      `A file has at most ${MOST_BYTES} bytes of UTF-8, and this text has ${size}. Make several files of it`,
    )
}

const isWithin = (at: string, folder: string) => at === folder || at.startsWith(`${folder}/`)

const parentOf = (at: string) => at.slice(0, at.lastIndexOf('/'))

const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length

function positionsOf(text: string, part: string): number[] {
  const positions: number[] = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) positions.push(at)
  return positions
}

/** Lines from `first` to `end`, counted from 1, as the tool shows them. */
const numbered = (lines: readonly string[], first: number, end: number) =>
  lines.slice(first - 1, end).map((line, index) => `${String(first + index).padStart(6)}\t${line}`)

/** @throws Refusal if nothing is there. The root always is. */
function listing(at: string, files: readonly MemoryFile[]): string {
  if (files.length === 0 && at !== ROOT)
    throw new Refusal(`The path ${at} does not exist. Please provide a valid path.`)
  const sizes = new Map([[at, 0]])
  for (const file of files) {
    const names = file.path.slice(at.length + 1).split('/')
    for (let level = 0; level <= Math.min(names.length, LEVELS); level += 1) {
      const place = [at, ...names.slice(0, level)].join('/')
      sizes.set(place, (sizes.get(place) ?? 0) + bytes(file.text))
    }
  }
  return [
    `Here're the files and directories up to ${LEVELS} levels deep in ${at}, excluding hidden items and node_modules:`,
    ...[...sizes].map(([place, size]) => `${(size / 1024).toFixed(1)}K\t${place}`),
  ].join('\n')
}

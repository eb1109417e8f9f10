import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers } from '../../eval/peers/answers.ts'
import { type OpenLibrary, tellingWords } from './library.ts'

/**
 * A Markdown file for each memory, searched with grep: what an agent with a folder of notes does. The files with the most of the
 * question's words come first.
 */
export const openMarkdown: OpenLibrary = async ({ folder }) => ({
  async open(group) {
    const notes = join(folder, group)
    mkdirSync(notes, { recursive: true })
    const file = (id: string) => join(notes, `${encodeURIComponent(id)}.md`)
    const idOf = (name: string) => decodeURIComponent(name.slice(0, -3))
    const find = async (question: string, limit: number) => {
      const words = tellingWords(question).map((word) => ['-e', word])
      const found = new Map<string, Set<string>>()
      for (const line of (await grep(['-r', '-o', '-i', '-w', '-F', ...words.flat(), '.'], notes)).split(
        '\n',
      )) {
        const [name, word] = line.split('.md:') as [string, string | undefined]
        if (word === undefined) continue
        const words = found.get(name) ?? new Set()
        found.set(name, words.add(word.toLowerCase()))
      }
      return [...found]
        .toSorted(([a, words], [b, others]) => others.size - words.size || (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([name]) => {
          const id = idOf(`${name.slice(2)}.md`)
          return { id, text: readFileSync(file(id), 'utf8') }
        })
    }
    return {
      ...answers(find, ({ id }) => id),
      async store(memories) {
        for (const { id, text } of memories) writeFileSync(file(id), text)
      },
      remove: async (id) => rmSync(file(id)),
      ids: async () => readdirSync(notes).map(idOf),
      close: async () => {},
    }
  },
  close: async () => {},
})

/** What grep prints; nothing if it finds nothing. */
const grep = (args: readonly string[], cwd: string) =>
  new Promise<string>((resolve, reject) => {
    execFile('grep', args, { cwd, maxBuffer: 1 << 30 }, (error, stdout) => {
      if (error !== null && error.code !== 1) reject(error)
      else resolve(stdout)
    })
  })

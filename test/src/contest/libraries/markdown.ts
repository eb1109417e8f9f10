import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers } from '../../eval/peers/peer.ts'
import { mostWords, type OpenLibrary, tellingWords } from './library.ts'

/**
 * A Markdown file for each memory, searched with grep: what an agent with a folder of notes does. The files with the most of the
 * question's words come first.
 */
export const openMarkdown: OpenLibrary = async ({ folder }) => ({
  async open(group) {
    const notes = join(folder, group)
    mkdirSync(notes, { recursive: true })
    const file = (id: string) => join(notes, `${encodeURIComponent(id)}.md`)
    const find = async (question: string, limit: number) => {
      const words = tellingWords(question).flatMap((word) => ['-e', word])
      const lines = (await grep(['-r', '-o', '-i', '-w', '-F', ...words, '.'], notes)).split('\n').toSorted()
      const found = lines.flatMap((line) => {
        const [name = '', word] = line.split('.md:')
        return word === undefined ? [] : [[decodeURIComponent(name.slice(2)), word.toLowerCase()] as const]
      })
      return mostWords(found, limit).map((id) => ({ id, text: readFileSync(file(id), 'utf8') }))
    }
    return {
      ...answers(find, ({ id }) => id),
      async store(memories) {
        for (const { id, text } of memories) writeFileSync(file(id), text)
      },
      remove: async (id) => rmSync(file(id)),
      ids: async () => readdirSync(notes).map((name) => decodeURIComponent(name.slice(0, -3))),
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

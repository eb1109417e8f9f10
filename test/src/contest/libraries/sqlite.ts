import { join } from 'node:path'
import { answers } from '../../eval/peers/peer.ts'
import { type OpenLibrary, tellingWords } from './library.ts'
import { DELETE_WORDS, SEARCH, type SqliteDatabase, TABLES } from './sqlite-sql.ts'

/** SQLite with FTS5 and sqlite-vec, joined by reciprocal rank, as sqlite-vec's author writes it down. */
export const openSqlite: OpenLibrary = async ({ folder, load, vectors }) => ({
  async open(group) {
    const db = new (load<new (file: string) => SqliteDatabase>('better-sqlite3'))(join(folder, `${group}.db`))
    load<{ load(into: SqliteDatabase): void }>('sqlite-vec').load(db)
    db.pragma('journal_mode = WAL')
    db.exec(TABLES)
    const row = db.prepare('insert into memories (id, text) values (?, ?) on conflict do nothing')
    const words = db.prepare('insert into words (rowid, text) values (?, ?)')
    const meaning = db.prepare('insert into meanings (rowid, meaning) values (?, ?)')
    const search = db.prepare(SEARCH)
    const find = async (question: string, limit: number) => {
      const match =
        tellingWords(question)
          .map((word) => `"${word}"`)
          .join(' OR ') || '""'
      return search.all(match, new Float32Array(await vectors.ofQuestion(question)), limit)
    }
    return {
      ...answers(find, ({ id }) => id),
      async store(memories) {
        const meanings = await vectors.ofMemories(memories)
        db.transaction(() => {
          for (const [index, { id, text }] of memories.entries()) {
            const { changes, lastInsertRowid } = row.run(id, text)
            if (changes === 0) continue
            words.run(lastInsertRowid, text)
            meaning.run(BigInt(lastInsertRowid), new Float32Array(meanings[index] ?? []))
          }
        })()
      },
      async remove(id) {
        const number = '(select number from memories where id = ?)'
        db.transaction(() => {
          db.prepare(DELETE_WORDS).run(id)
          db.prepare(`delete from meanings where rowid = ${number}`).run(id)
          db.prepare('delete from memories where id = ?').run(id)
        })()
      },
      ids: async () =>
        db
          .prepare('select id, text from memories')
          .all()
          .map(({ id }) => id),
      close: async () => db.close(),
    }
  },
  close: async () => {},
})

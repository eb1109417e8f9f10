import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mayMention, wordsOfName } from './mentions.ts'

describe.each(TEST_DATABASES)('what Postgres takes for a mention on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  const mayBe = async (name: string, text: string) => {
    const state = JSON.stringify({ content: { text } })
    const { rows } = await sql<{ may: boolean }>`
      select ${mayMention(wordsOfName(name))} as may from (select ${state}::jsonb as state) m`.execute(
      database.db,
    )
    return rows[0]?.may
  }

  it.each([
    ['José', 'jose came'],
    ['jose', 'José came'.normalize('NFD')],
    ['Ada', 'with Ａｄａ'],
    ['김철수', '어제 김철수와'.normalize('NFD')],
    ['ガンダム', 'ガンダム'.normalize('NFD')],
    ['ガンダム', 'ｶﾞﾝﾀﾞﾑ'],
    ['محمد', 'قال مُحَمَّدٌ'],
    ['أحمد', 'احمد'],
    ['احمد', 'مع أَحمـد'.normalize('NFD')],
    ['על', 'עַל'],
    ['Ёлка', 'Елка'],
  ])('has %s in %j, in whatever form of Unicode it is written', async (name, text) => {
    expect(await mayBe(name, text)).toBe(true)
  })

  it.each([
    ['José', 'Josef came'],
    ['Ann', 'Anna came'],
    ['김철수', '김철'],
  ])('does not have %s in %j', async (name, text) => {
    expect(await mayBe(name, text)).toBe(false)
  })
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { needing } from '@daybook/runtime/testing/needing'
import type { Need } from '@daybook/runtime/testing/needs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REPOSITORY } from '../../support/daemon.ts'
import { ask, HITS } from '../ask.ts'
import type { EvaluatedDaybook } from '../daybook/evaluated-daybook.ts'
import { loadMemories, untilSearchable } from '../daybook/load-memories.ts'
import { startOwnDaybook } from '../daybook/own-daybook.ts'
import { loadCollection } from '../formats/load.ts'
import { methods } from '../method.ts'
import { openStore } from './daybook-mcp.ts'
import { toPeerMemory } from './plain-text.ts'

/** LoCoMo is for research use only, so it is not in this repository. */
const FOLDER = process.env['DAYBOOK_LOCOMO'] ?? join(REPOSITORY, '../shared/locomo')
const CONVERSATION = join(FOLDER, 'conv-30.json')
/** The beginning of the conversation and some of its questions: `npm run eval -- … --peers daybook,daybook-mcp` asks all. */
const [MEMORIES, QUESTIONS] = [60, 12]

const LOCOMO: Need = {
  name: 'a conversation of LoCoMo',
  problem: existsSync(CONVERSATION)
    ? null
    : `There is no ${CONVERSATION}. DAYBOOK_LOCOMO names another folder.`,
  optional: true,
}

needing(LOCOMO).describe('a conversation of LoCoMo', () => {
  let daybook: EvaluatedDaybook
  beforeAll(async () => {
    daybook = await startOwnDaybook({ groups: ['over GraphQL', 'over MCP'], embedder: 'minilm' })
  })
  afterAll(() => daybook?.close())

  test('told through tools, it is found through tools as over GraphQL', async () => {
    const [group] = loadCollection(CONVERSATION).groups
    const [method] = methods({ modes: [], engines: [], rankings: [] })
    if (group === undefined || method === undefined) throw new Error('there is no conversation')
    const [direct, told] = [daybook.place('over GraphQL'), daybook.place('over MCP')]
    const memories = group.memories.slice(0, MEMORIES)
    await loadMemories(direct, { ...group, memories })
    const store = await openStore(told)
    await store.store(memories.map(toPeerMemory))
    await untilSearchable(direct, true, () => {})
    await store.settled?.()
    const known = new Set(memories.map(({ id }) => id))
    const questions = group.questions
      .filter(({ relevant }) => [...relevant.keys()].every((id) => known.has(id)))
      .slice(0, QUESTIONS)
    expect(questions.length).toBeGreaterThan(3)
    let hits = 0
    for (const question of questions) {
      const { found } = await ask(direct, method, question)
      const throughTools = await store.search(question.text, HITS)
      expect(throughTools, question.text).toEqual(found)
      hits += throughTools.slice(0, 10).filter((id) => question.relevant.has(id)).length
    }
    expect(hits).toBeGreaterThan(0)
    await store.close()
  })
})

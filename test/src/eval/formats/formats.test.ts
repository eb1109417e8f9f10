import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadCollection } from './load.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-formats-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const lines = (...rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

describe('BEIR', () => {
  beforeEach(() => {
    write(
      'corpus.jsonl',
      lines(
        { _id: 'd1', title: 'Wings', text: 'Lift of a swept wing.' },
        { _id: 'd2', title: '', text: 'Heat at the nose of a blunt body.' },
        { _id: 'd3', title: 'Only a title', text: '' },
        { _id: 'd4', title: '', text: ' ' },
      ),
    )
    write(
      'queries.jsonl',
      lines(
        { _id: 'q1', text: 'swept wing' },
        { _id: 'q2', text: 'never judged' },
        { _id: 'q3', text: 'judged, but nothing is relevant' },
      ),
    )
    write('qrels/test.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq1\td3\t0\nq3\td1\t0\n')
  })

  it('is documents in one group, and the queries with judgements, graded', () => {
    const [group, ...others] = loadCollection(folder).groups
    expect(others).toEqual([])
    expect(group?.memories).toEqual([
      { id: 'd1', input: { content: { document: { title: 'Wings', content: 'Lift of a swept wing.' } } } },
      { id: 'd2', input: { content: { document: { content: 'Heat at the nose of a blunt body.' } } } },
      { id: 'd3', input: { content: { document: { content: 'Only a title' } } } },
    ])
    const relevant = new Map([
      ['d1', 2],
      ['d2', 1],
    ])
    expect(group?.questions).toEqual([{ id: 'q1', text: 'swept wing', category: null, relevant }])
  })

  it('takes the split that is asked for, and the only one where there is one', () => {
    expect(() => loadCollection(folder, 'dev')).toThrow(/no dev\.tsv; there are: test\.tsv/u)
    write('qrels/dev.tsv', 'q2\td2\t1\n')
    expect(loadCollection(folder, 'dev').groups[0]?.questions[0]?.id).toBe('q2')
    expect(loadCollection(folder).groups[0]?.questions[0]?.id).toBe('q1')
    rmSync(join(folder, 'qrels/test.tsv'))
    expect(loadCollection(folder).groups[0]?.questions[0]?.id).toBe('q2')
  })
})

const TURN = { id: 'D1:1', speaker: 'Ann', text: 'I planted beans.' }
const QUESTIONS = [
  { question: 'What did Ann plant?', evidence: ['D1:1'], category: 4 },
  { question: 'What never happened?', evidence: ['D1:1'], category: 5 },
  { question: 'Where is the evidence?', evidence: [], category: 1 },
  { question: 'What and when?', evidence: ['D1:1; D2:1'], category: 1 },
]

describe('LoCoMo', () => {
  const conversation = {
    conversation: 7,
    sessions: [
      { session: 1, date_time: '1:56 pm on 8 May, 2023', turns: [TURN] },
      {
        session: 2,
        date_time: '9:05 am on 1 June, 2023',
        turns: [{ ...TURN, id: 'D2:1', image: 'a garden' }],
      },
    ],
    qa: QUESTIONS,
  }
  const expected = {
    name: 'conversation 7',
    questions: [
      { id: '7/1', text: 'What did Ann plant?', category: 'single piece', relevant: new Map([['D1:1', 1]]) },
      {
        id: '7/2',
        text: 'What and when?',
        category: 'several pieces',
        relevant: new Map([
          ['D1:1', 1],
          ['D2:1', 1],
        ]),
      },
    ],
  }

  it('is a group a conversation, a memory a turn, and the questions that can be answered', () => {
    write('conv-7.json', JSON.stringify(conversation))
    write('README.md', 'not a conversation')
    const { groups } = loadCollection(folder)
    expect(groups).toMatchObject([expected])
    expect(groups[0]?.memories).toMatchObject([
      {
        id: 'D1:1',
        input: {
          content: { note: { text: 'Ann: I planted beans.' } },
          context: 'locomo/7/session-1',
          occurredAt: '2023-05-08T13:56:00.000Z',
        },
      },
      { id: 'D2:1', input: { content: { note: { text: 'Ann: I planted beans. [shares a garden]' } } } },
    ])
    expect(loadCollection(join(folder, 'conv-7.json')).groups).toEqual(groups)
  })

  it('is read as its authors publish it too', () => {
    const turn = { speaker: 'Ann', dia_id: 'D1:1', text: 'I planted beans.' }
    write(
      'locomo10.json',
      JSON.stringify([
        {
          sample_id: 'conv-7',
          conversation: {
            speaker_a: 'Ann',
            session_2_date_time: '9:05 am on 1 June, 2023',
            session_2: [{ ...turn, dia_id: 'D2:1', blip_caption: 'a garden', img_url: ['x'] }],
            session_1_date_time: '1:56 pm on 8 May, 2023',
            session_1: [turn],
            session_3_date_time: '9:05 am on 2 June, 2023',
          },
          qa: QUESTIONS,
        },
      ]),
    )
    write('conv-7.json', JSON.stringify(conversation))
    expect(loadCollection(join(folder, 'locomo10.json'))).toEqual(loadCollection(join(folder, 'conv-7.json')))
  })
})

describe('our own format', () => {
  it('is remember inputs with ids, and questions that name them', () => {
    write('memories.jsonl', lines({ id: 'm1', context: 'c', content: { note: { text: 'a' } } }))
    write(
      'questions.jsonl',
      `${lines({ id: 'q1', category: 'kind', question: 'a?', evidence: ['m1'], filter: { kinds: ['NOTE'] } })}\n`,
    )
    expect(loadCollection(folder).groups).toEqual([
      {
        name: basename(folder),
        memories: [{ id: 'm1', input: { context: 'c', content: { note: { text: 'a' } } } }],
        questions: [
          {
            id: 'q1',
            text: 'a?',
            category: 'kind',
            relevant: new Map([['m1', 1]]),
            filter: { kinds: ['NOTE'] },
          },
        ],
      },
    ])
  })

  it('says which line is wrong', () => {
    write('memories.jsonl', '{"id":"m1"}\n{oops\n')
    write('questions.jsonl', '')
    expect(() => loadCollection(folder)).toThrow(/memories\.jsonl, line 2 is not JSON/u)
    write('memories.jsonl', '{"id":"m1"}\n')
    write('questions.jsonl', lines({ id: 'q1', category: 'kind', question: 'a?', evidence: ['m2'] }))
    expect(() => loadCollection(folder)).toThrow('question q1 names a memory that is not there: m2')
  })
})

it('anything else is refused with the formats there are', () => {
  write('a.txt', '')
  expect(() => loadCollection(folder)).toThrow(/in no known format: LoCoMo .* BEIR .* ours/u)
  expect(() => loadCollection(join(folder, 'nowhere'))).toThrow(/There is no/u)
})

describe('a file of sets', () => {
  const set = (name: string, evidence: string) => ({
    name,
    memories: [{ id: 'a', content: { note: { text: name } } }],
    questions: [{ id: `${name} 1`, question: 'which?', evidence: [evidence] }],
  })

  it('is a group for each set, whose questions are about its own memories', () => {
    write('few.jsonl', lines(set('one', 'a'), set('two', 'a')))
    const { name, groups } = loadCollection(join(folder, 'few.jsonl'))
    expect([name, ...groups.map((group) => group.name)]).toEqual(['few', 'one', 'two'])
    expect(groups[1]?.memories).toEqual([{ id: 'a', input: { content: { note: { text: 'two' } } } }])
    expect(groups[1]?.questions).toEqual([
      { id: 'two 1', text: 'which?', category: null, relevant: new Map([['a', 1]]) },
    ])
  })

  it('refuses evidence that is in no memory of the set', () => {
    write('few.jsonl', lines(set('one', 'b')))
    expect(() => loadCollection(join(folder, 'few.jsonl'))).toThrow(/not there: b/u)
  })
})

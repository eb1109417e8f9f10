import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'
import { runCli, startCli } from './run-cli.ts'

/* The real binary against a real daemon, which keeps its port over restarts. */

const KINDS: readonly (readonly [kind: string, ...args: string[]])[] = [
  [
    'stash',
    '--name',
    'login-bug',
    'half way',
    '--file',
    'a.ts',
    '--file',
    'b.ts',
    '--expires-at',
    '2999-01-01',
  ],
  [
    'insight',
    '--key',
    'jwt-validation',
    'Validate JWT expiration before trusting claims',
    '--label',
    'security',
  ],
  ['decision', '--topic', 'database', 'take Postgres', '--reasoning', 'one store'],
  [
    'learning',
    'await in a loop',
    '--anti-pattern',
    'forEach',
    '--context-text',
    'JavaScript',
    '--context',
    'repo',
  ],
  ['error', 'connection refused', '--root-cause', 'not started', '--fix', 'npm start'],
  ['session', 'wrote tests', '--key-change', 'one', '--key-change', 'two', '--status', 'closed'],
  ['todo', 'buy milk', '--context-text', 'at the shop', '--resolved-at', '2026-11-21T10:00:00Z'],
  ['note', 'words', 'without', 'quotes', '--importance', '9', '--metadata', '{"ticket":42}', '--agent', 'me'],
  [
    'fact',
    'water boils',
    '--content',
    'at 100 degrees',
    '--category',
    'event',
    '--occurred-at',
    '2026-11-20',
  ],
  ['document', 'a longer text', '--title', 'A title'],
  ['entity', '--name', 'Ada', '--type', 'person', 'wrote programs'],
]

const folder = mkdtempSync(join(tmpdir(), 'daybook-cli-test-'))
const daemon = createTestDaemon()
let environment: Record<string, string> = {}
let port = 0

const start = () => daemon.start({ environment: { DAYBOOK_PORT: String(port) } })
const cli = (...args: string[]) => runCli(args, environment)
const json = async <Answer>(...args: string[]): Promise<Answer> =>
  JSON.parse((await cli(...args, '--json')).stdout) as Answer

/** The texts in the journal of the memories whose context it is, in sequence order. */
async function textsOf(context: string): Promise<string[]> {
  const texts: string[] = []
  for (let after = 0; ; ) {
    const { journal } = dataOf(
      await daemon.graphql<{
        journal: { sequence: number; memory: { text: string; context: string | null } }[]
      }>({
        query:
          'query ($after: Int) { journal(after: $after, first: 1000) { sequence memory { text context } } }',
        variables: { after },
      }),
    )
    texts.push(...journal.filter(({ memory }) => memory.context === context).map(({ memory }) => memory.text))
    const last = journal.at(-1)
    if (last === undefined) return texts
    after = last.sequence
  }
}

async function freePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: free } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return free
}

beforeAll(async () => {
  port = await freePort()
  environment = { DAYBOOK_URL: `http://127.0.0.1:${port}`, DAYBOOK_DATA_DIR: daemon.dataDir }
  await start()
})
afterAll(async () => {
  await daemon.remove()
  rmSync(folder, { recursive: true })
})

interface MemoryJson {
  readonly id: string
  readonly title: string
  readonly content: object
  readonly version: number
}

describe('remember', () => {
  test('takes every kind, its fields and the common ones', async () => {
    const answers = await Promise.all(KINDS.map((args) => json<{ memory: MemoryJson }>('remember', ...args)))
    expect(answers.map(({ memory }) => memory.content)).toEqual([
      { stash: { name: 'login-bug', summary: 'half way', files: ['a.ts', 'b.ts'] } },
      { insight: { key: 'jwt-validation', content: 'Validate JWT expiration before trusting claims' } },
      { decision: { topic: 'database', decision: 'take Postgres', reasoning: 'one store' } },
      { learning: { correctPattern: 'await in a loop', antiPattern: 'forEach', context: 'JavaScript' } },
      { error: { message: 'connection refused', rootCause: 'not started', fix: 'npm start' } },
      { session: { summary: 'wrote tests', keyChanges: ['one', 'two'], status: 'CLOSED' } },
      { todo: { description: 'buy milk', context: 'at the shop', resolvedAt: '2026-11-21T10:00:00.000Z' } },
      { note: { text: 'words without quotes' } },
      { fact: { summary: 'water boils', content: 'at 100 degrees' } },
      { document: { content: 'a longer text', title: 'A title' } },
      { entity: { name: 'Ada', type: 'person', content: 'wrote programs' } },
    ])
  })

  test('reads the text from a pipe, and does not add the same twice under one key', async () => {
    const args = ['remember', 'note', '--idempotency-key', 'once', '--json']
    const first = await runCli(args, environment, 'from a pipe\n')
    const second = await runCli([...args, '-'], environment, 'from a pipe\n')
    expect(JSON.parse(first.stdout)).toMatchObject({ duplicate: false, memory: { text: 'from a pipe' } })
    expect(JSON.parse(second.stdout)).toMatchObject({ duplicate: true })
  })

  test.each([
    [['again'], 'again', null],
    [['Buy', 'milk'], 'Buy milk', null],
    [['--context', 'shop', 'We use pnpm'], 'We use pnpm', null],
    [['-'], 'from a pipe again', 'from a pipe again'],
    [[], 'piped', 'piped'],
  ])('without a kind, %j is a note, and is said to be one', async (args, text, input) => {
    const { exitCode, stdout } = await runCli(['remember', ...args], environment, input ?? undefined)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Remembered as a note: ${text}\nnote:`, 'u'))
  })

  test('says that the same text is in the context already', async () => {
    const args = ['remember', 'note', 'The till opens at nine', '--context', 'bakery', '--json'] as const
    const first = await json<{ sequence: number; sameText: string[]; memory: { id: string } }>(...args)
    expect(first.sameText).toEqual([])
    await cli('search', 'till', '--at-least', String(first.sequence))
    const { stdout } = await cli(...args.slice(0, -1))
    const id = first.memory.id.slice('note:'.length)
    expect(stdout).toMatch(
      new RegExp(
        `\\nThe same text is there already: ${id}\\. One is enough\\? daybook forget note:\\S+\\n$`,
        'u',
      ),
    )
  })

  test('takes options before the kind as well as behind it', async () => {
    const { memory } = await json<{ memory: { kind: string; labels: string[]; context: string } }>(
      'remember',
      '--label',
      'before',
      '--context',
      'shop',
      'todo',
      'count the tills',
    )
    expect(memory).toMatchObject({ kind: 'TODO', labels: ['before'], context: 'shop' })
  })

  test('says which field is wrong, and ends with 1; with 2 where the command line is', async () => {
    const refused = await cli('remember', 'note', 'x', '--importance', '11')
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toBe('daybook: importance must be from 0 to 10\n')
    const wrong = [
      ['stash', 'x'],
      ['note'],
      [],
      ['note', 'x', '--metadata', '[1]'],
      ['note', 'x', '--colour', 'red'],
    ]
    for (const result of await Promise.all(wrong.map((args) => cli('remember', ...args))))
      expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  })
})

test('a text that is too long is refused with the limit and its own length, before and after it is sent', async () => {
  const argument = await cli('remember', 'note', 'x'.repeat(70 * 1024))
  expect(argument).toMatchObject({ exitCode: 1, stdout: '' })
  expect(argument.stderr).toBe(
    'daybook: content.note.text is too long: the limit is 64 KiB (65,536 bytes) of UTF-8, and it has 71,680 bytes\n',
  )
  const piped = await runCli(['remember', 'note', '-'], environment, 'x'.repeat(2 * 1024 ** 2))
  expect(piped).toMatchObject({ exitCode: 2, stdout: '' })
  expect(piped.stderr).toMatch(/the limit is 64 KiB .*, and it has more than 1 MiB/u)
})

describe('search', () => {
  test('shows hits for people, and notes on standard error', async () => {
    const { exitCode, stdout, stderr } = await cli('search', 'jwt claims', '--explain', '--at-least', '2')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /1\. \[INSIGHT\] jwt-validation \(0\.\d{3}\) (?:just now|\d+ \w+ ago) \[#security\]/u,
    )
    expect(stdout).toMatch(/lexical: rank 1/u)
    expect(stderr).toContain('Note: no embedder is configured')
  })

  test('filters, and prints JSON alone', async () => {
    const kinds = async (...args: string[]) => {
      const { hits } = await json<{ hits: { memory: { kind: string } }[] }>('search', ...args)
      return hits.map(({ memory }) => memory.kind)
    }
    const found = await Promise.all([
      kinds('await OR words OR milk', '--kind', 'learning', '--kind', 'todo'),
      kinds('await OR words', '--context', 'repo'),
      kinds('await OR words', '--min-importance', '9', '--mode', 'keyword'),
      kinds('jwt OR words', '--label', 'security', '--limit', '1'),
    ])
    expect(found[0]?.toSorted()).toEqual(['LEARNING', 'TODO'])
    expect(found.slice(1)).toEqual([['LEARNING'], ['NOTE'], ['INSIGHT']])
  })

  test('prints as JSON what a memory says once, with ids, scores and, when asked, why', async () => {
    const text = `${'The pelican flies over the harbour. '.repeat(8)}It lands.`
    await cli('remember', 'fact', 'about pelicans', '--content', text)
    const { stdout } = await cli('search', 'pelican harbour', '--json', '--at-least', '12', '--explain')
    expect(stdout.split('over the harbour').length - 1).toBe(8)
    const { hits } = JSON.parse(stdout) as { hits: object[] }
    expect(hits[0]).toMatchObject({
      score: expect.any(Number) as number,
      explanation: { retrievers: [{ retriever: 'LEXICAL' }] },
      memory: {
        id: expect.stringMatching(/^fact:/u) as string,
        title: 'about pelicans',
        content: { fact: { summary: 'about pelicans', content: text } },
      },
    })
    const plain = await json<{ hits: object[] }>('search', 'pelican harbour')
    expect(plain.hits[0]).not.toHaveProperty('explanation')
  })

  test('finding nothing is no failure; an empty query and an unknown kind are', async () => {
    const nothing = await cli('search', 'xylophone')
    expect(nothing).toMatchObject({ exitCode: 0, stdout: '' })
    expect(nothing.stderr).toContain('Nothing matches')
    expect(await cli('search', ' ')).toMatchObject({ exitCode: 1 })
    expect(await cli('search', 'x', '--kind', 'poem')).toMatchObject({ exitCode: 2 })
  })

  test('shows no escape sequence that a memory holds', async () => {
    await cli('remember', 'note', 'zebra \u001B[31mred\u001B]0;title\u0007 <mark>end</mark> \u009B2J')
    let stdout = ''
    await expect
      .poll(async () => ({ stdout } = await cli('search', 'zebra')).stdout)
      .toContain('zebra red <mark>end</mark>')
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/u)
  })
})

test('revise, history, list, recall and pop', async () => {
  const { memory } = await json<{ memory: MemoryJson }>('remember', 'stash', '--name', 'okapi', 'first draft')
  const revised = await cli('revise', memory.id, 'second draft', '--label', 'zoo')
  expect(revised.stdout).toMatch(/^Revised: okapi\n.*version 2/u)
  expect(await cli('revise', memory.id, '--set', 'colour=red')).toMatchObject({ exitCode: 2 })
  const { history } = await json<{ history: { changed: string[] }[] }>('history', memory.id)
  expect(history.map(({ changed }) => changed)).toEqual([
    expect.arrayContaining(['content.name', 'content.summary']),
    ['content.summary', 'labels'],
  ])
  await expect
    .poll(async () => json<{ memories: MemoryJson[] }>('list', '--label', 'zoo'))
    .toMatchObject({ memories: [{ id: memory.id, content: { stash: { summary: 'second draft' } } }] })
  expect((await cli('list', '--context', 'nowhere')).stderr).toContain('No memory matches.')
  expect((await cli('pop', 'okapi')).stdout).toMatch(/^1\. \[STASH\] okapi/u)
  expect((await cli('recall', 'jwt-validation')).stdout).toMatch(/^1\. \[INSIGHT\] jwt-validation/u)
  expect(await cli('history', 'note:00000000-0000-7000-8000-000000000000')).toMatchObject({ exitCode: 1 })
})

test('an id may be given by how it begins; if several begin so, they are named', async () => {
  const { memory } = await json<{ memory: MemoryJson }>('remember', 'note', 'a quagga')
  const { memory: todo } = await json<{ memory: MemoryJson }>('remember', 'todo', 'draw the quagga')
  const begun = memory.id.slice(0, -2)
  const plain = begun.slice('note:'.length)
  expect((await cli('get', plain)).stdout).toContain('text: a quagga')
  expect((await cli('revise', begun.toUpperCase(), 'two quaggas')).stdout).toMatch(/^Revised: two quaggas/u)
  expect((await cli('history', plain)).stdout).toContain(`restore ${memory.id} --version 1`)
  expect((await cli('diff', begun)).stdout).toContain('quaggas')
  expect((await cli('similar', '--id', `todo:${plain}`)).stderr).toContain('There is no memory')
  expect((await cli('forget', begun)).stdout).toMatch(/^Forgotten: two quaggas/u)
  expect((await cli('restore', begun)).stdout).toMatch(/^Restored: two quaggas/u)
  expect((await cli('todo', 'done', todo.id.slice(0, -2))).stdout).toContain(todo.id)

  // Without an idempotency key, ids begin with their time.
  const input = '{ content: { note: { text: "a herd" } } }'
  const herd = Array.from({ length: 6 }, (_, at) => `a${at}: remember(input: ${input}) { ...Id }`)
  const query = `mutation { ${herd.join(' ')} }
    fragment Id on RememberResult { ... on Remembered { sequence memory { id } } }`
  const { a5: last } = dataOf(
    await daemon.graphql<Record<string, { sequence: number; memory: MemoryJson }>>({ query }),
  )
  await cli('search', 'herd', '--at-least', String(last?.sequence))
  const several = await cli('get', String(last?.memory.id.slice('note:'.length, -28)), '--json')
  const { error } = JSON.parse(several.stderr) as { error: { code: string; hints: string[] } }
  expect(several).toMatchObject({ exitCode: 1, stdout: '' })
  expect(error).toMatchObject({ code: 'AMBIGUOUS_ID' })
  expect(error.hints).toHaveLength(6)
  expect(error.hints[0]).toMatch(/^\w+:[0-9a-f-]{36} {2}\S/u)
  expect((await cli('get', '0000')).stderr).toContain('There is no memory "0000"')

  const asked = await cli('erase', plain)
  expect(asked).toMatchObject({ exitCode: 2, stdout: '' })
  expect(asked.stderr).toContain(`Erase ${memory.id} for good?`)
})

test('a number means the memory at that place in the last list that was printed', async () => {
  await cli('remember', 'todo', 'feed the tapir', '--context', 'night house')
  await cli('remember', 'todo', 'weigh the tapir', '--context', 'night house')
  const { stdout } = await cli('todo', '--context', 'night house')
  expect(stdout).toMatch(/^# {2}what .*\n1 {2}weigh the tapir .*\n2 {2}feed the tapir /u)
  await json('list', '--context', 'repo')
  expect((await cli('erase', '2', '--yes')).stderr).toContain('This takes an id, not the number 2 of a list')
  expect((await cli('todo', 'done', '2')).stdout).toMatch(/^Done: feed the tapir\n/u)
  expect((await cli('get', '3')).stderr).toContain('The last list has no number 3: it showed 2 memories')
  expect((await cli('list', '--label', 'security')).stdout).toMatch(/\n1 {2}insight {2}jwt-validation /u)
  expect((await cli('get', '1')).stdout).toContain('jwt-validation')
  await cli('search', 'weigh the tapir', '--context', 'night house', '--limit', '1')
  expect((await cli('get', '1')).stdout).toContain('weigh the tapir')
})

test('a note of a vault is found by its other names, and by what its links name and show', async () => {
  mkdirSync(join(folder, 'vault'))
  writeFileSync(
    join(folder, 'vault', 'Ada.md'),
    '---\naliases: [Zerzura Xanthe]\n---\nSee [[people/Quillon#Hives|the keeper]], [[Ossifrage]], ![[Wivern]].',
  )
  const { lastSequence } = await json<{ lastSequence: number }>('import', join(folder, 'vault'))
  await cli('search', 'Ada', '--at-least', String(lastSequence))
  for (const words of ['zerzura', 'quillon', 'keeper', 'ossifrage', 'wivern'])
    expect([words, (await cli('search', words, '--mode', 'keyword')).stdout]).toEqual([
      words,
      expect.stringContaining('1. [DOCUMENT] Ada'),
    ])
})

test('completion prints the script of a shell, which asks for what there is', async () => {
  const completion = (...args: string[]) => startCli(['completion', ...args], environment).ended
  const { stdout, exitCode } = await completion('bash')
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/daybook complete -- /u)
  const checked = spawnSync('bash', ['-n'], { input: stdout, encoding: 'utf8' })
  expect(checked).toMatchObject({ status: 0, stderr: '' })
  expect((await completion('zsh')).stdout).toContain('#compdef daybook')
  expect((await completion('fish')).stdout).toContain('complete -c daybook')
  expect(await completion('csh')).toMatchObject({ exitCode: 2, stdout: '' })
})

test('complete names commands, options and their values', async () => {
  const complete = async (...words: string[]) =>
    (await startCli(['complete', '--', ...words], environment).ended).stdout.split(/[\t\n]/u)
  expect(await complete('reca')).toContain('recall')
  expect(await complete('search', '--mo')).toContain('--mode')
  expect(await complete('search', '--mode', '')).toEqual(expect.arrayContaining(['hybrid', 'keyword']))
})

test('get, forget and restore', async () => {
  const { memory } = await json<{ memory: MemoryJson }>('remember', 'note', 'a giraffe')
  expect((await cli('get', memory.id)).stdout).toContain('text: a giraffe')
  expect((await cli('forget', memory.id)).stdout).toContain(`daybook restore ${memory.id}`)
  await expect.poll(async () => (await json<{ hits: [] }>('search', 'giraffe')).hits).toEqual([])
  expect(await cli('restore', memory.id)).toMatchObject({ exitCode: 0 })
  await expect
    .poll(async () => (await json<{ hits: object[] }>('search', 'giraffe', '--at-least', '1')).hits)
    .toHaveLength(1)
  const { history } = await json<{ history: { type: string }[] }>('get', memory.id, '--history')
  expect(history.map(({ type }) => type)).toEqual(['MemoryRemembered', 'MemoryForgotten', 'MemoryRestored'])
  const { stdout } = await cli('get', memory.id, '--history')
  expect(stdout).toMatch(/MemoryRemembered .*content[^]*MemoryRestored[^]*restore \S+ --version 2/u)
  const earlier = await cli('restore', memory.id, '--version', '99')
  expect(earlier).toMatchObject({ exitCode: 1 })
  expect(earlier.stderr).toContain('99')
  const unknown = 'note:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d'
  for (const result of await Promise.all(
    ['get', 'forget', 'restore'].map((command) => cli(command, unknown)),
  ))
    expect(result).toMatchObject({ exitCode: 1, stdout: '' })
})

describe('status', () => {
  test('says that the daemon serves, and how far the index is', async () => {
    expect((await cli('status')).stdout).toMatch(/is ready at http.*\n\nprojection +position/su)
    expect(await json('status')).toMatchObject({
      reachable: true,
      ready: true,
      projections: [{ status: 'live' }],
    })
  })

  test('says where to look when nothing is there, knowing where the data folder’s daemon is', async () => {
    const nowhere = 'http://127.0.0.1:9'
    const away = await runCli(['status', '--url', nowhere], environment)
    expect(away).toMatchObject({ exitCode: 3, stdout: '' })
    expect(away.stderr).toContain(`does not answer at ${nowhere}: nothing listens there`)
    expect(away.stderr).toContain(`--url ${environment['DAYBOOK_URL']}`)
    const stopped = await runCli(['status', '--json'], { DAYBOOK_URL: nowhere, DAYBOOK_DATA_DIR: folder })
    expect(JSON.parse(stopped.stdout)).toMatchObject({ reachable: false })
    expect(stopped.stderr).toContain('daybook start --detach')
  })

  test('knows another program when it meets one', async () => {
    const other = createServer((_, response) => response.end('<html>hello</html>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port: otherPort } = other.address() as AddressInfo
    for (const command of [['status'], ['search', 'x']]) {
      const { exitCode, stderr } = await runCli(
        [...command, '--url', `http://127.0.0.1:${otherPort}`],
        environment,
      )
      expect(exitCode).toBe(3)
      expect(stderr).toContain('is not Daybook')
    }
    other.close()
  })
})

test('a wrong key and a missing one are told apart, with the place that they came from', async () => {
  const wrong = await runCli(['search', 'x'], { ...environment, DAYBOOK_API_KEY: 'dbk_wrong' })
  expect(wrong).toMatchObject({ exitCode: 4, stdout: '' })
  expect(wrong.stderr).toContain('the environment variable DAYBOOK_API_KEY')
  const file = join(folder, 'other')
  mkdirSync(file)
  writeFileSync(join(file, 'api-key'), 'dbk_other\n')
  expect((await runCli(['tail', '--data-dir', file], environment)).stderr).toContain(join(file, 'api-key'))
  const missing = await runCli(['search', 'x', '--data-dir', folder], environment)
  expect(missing).toMatchObject({ exitCode: 4 })
  expect(missing.stderr).toContain(join(folder, 'api-key'))
})

test('help and version', async () => {
  expect((await cli('--help')).stdout).toContain('Exit codes:')
  expect((await cli('help', 'remember', 'stash')).stdout).toContain('--file <text>')
  expect((await cli('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/u)
  expect(await cli()).toMatchObject({ exitCode: 2, stdout: '' })
})

/** Every third line stands there twice, and means two memories. */
function jsonLines(context: string, count: number): { lines: string[]; texts: string[] } {
  const texts = Array.from({ length: count }, (_, index) => `${context} ${index - (index % 3 === 1 ? 1 : 0)}`)
  return { texts, lines: texts.map((text) => JSON.stringify({ content: { note: { text } }, context })) }
}

describe('import', () => {
  test('a source that is imported again revises what changed, and adds what is new', async () => {
    const file = join(folder, 'mem0.json')
    const write = (memories: object[]) => writeFileSync(file, JSON.stringify({ results: memories }))
    const nothing = { imported: 0, revised: 0, alreadyThere: 0, failed: 0 }
    write([
      { id: 'm1', memory: 'Kai works at Brightloom', user_id: 'kai' },
      { id: 'm2', memory: 'Kai cut \uD83D emoji\u0000', user_id: 'kai' },
    ])
    expect(await json('import', file)).toMatchObject({ ...nothing, imported: 2 })
    expect(await json('import', file)).toMatchObject({ ...nothing, alreadyThere: 2 })
    write([
      { id: 'm1', memory: 'Kai works at Oakfield', user_id: 'kai' },
      { id: 'm2', memory: 'Kai cut \uD83D emoji\u0000', user_id: 'kai' },
      { id: 'm3', memory: 'Kai has a cat', user_id: 'kai' },
    ])
    expect(await json('import', file)).toMatchObject({ ...nothing, imported: 1, revised: 1, alreadyThere: 1 })
    expect(await json('import', file, '--label', 'again')).toMatchObject({ ...nothing, revised: 3 })
    const again = async () =>
      (await json<{ memories: { text: string }[] }>('list', '--context', 'kai', '--label', 'again')).memories
        .map(({ text }) => text)
        .toSorted()
    await expect.poll(again).toEqual(['Kai cut \uFFFD emoji\uFFFD', 'Kai has a cat', 'Kai works at Oakfield'])
  })

  test('reports bad lines by number and remembers the rest, whatever is wrong with them', async () => {
    const file = join(folder, 'bad.jsonl')
    const note = (text: string, more = {}) =>
      JSON.stringify({ content: { note: { text } }, context: 'bad', ...more })
    const lines = [
      note('1'),
      '{nope',
      '',
      note(' '),
      note('5', { foo: 1 }),
      note('6', { occurredAt: 'now' }),
      note('7'),
      note('x'.repeat(1_000_000)),
    ]
    writeFileSync(file, lines.join('\n'))
    const { exitCode, stdout, stderr } = await cli('import', file)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^Done: 2 imported, 0 already there, 5 failed/u)
    expect(stderr.split('\n').map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'line 2:',
      'line 4:',
      'line 5:',
      'line 6:',
      'line 8:',
      '',
    ])
    expect(stderr).toContain('line 4: content.note.text must not be blank')
    expect(await textsOf('bad')).toEqual(['1', '7'])

    const stopped = await json<{ ended: string; badLines: object[] }>('import', file, '--stop-on-error')
    expect(stopped).toMatchObject({ ended: 'stopped', alreadyThere: 1, badLines: [{ line: 2 }] })
  })

  test('what is not of the API’s form is told in a sentence, without the request', async () => {
    const file = join(folder, 'form.jsonl')
    const lines = [
      { content: { note: { text: 'a', foo: 1 } } },
      { content: { note: { text: 'b' } }, labels: 7 },
      {},
    ]
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
    const { exitCode, stderr } = await cli('import', file)
    expect(exitCode).toBe(1)
    expect(stderr).not.toMatch(/\$inputs|got invalid value|rememberMany|"text"/u)
    expect(stderr.trimEnd().split('\n')).toEqual([
      'line 1: content.note: Field "foo" is not defined by type "NoteInput".',
      'line 2: labels: String cannot represent a non string value: 7',
      'line 3: Field "content" of required type "MemoryContentInput!" was not provided.',
    ])
  })

  test('a binary file is refused as what it is, and nothing of it is sent', async () => {
    const file = join(folder, 'picture.png')
    writeFileSync(file, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
    const before = await json<{ projections: { head: number }[] }>('status')
    const { exitCode, stdout, stderr } = await cli('import', file)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toBe(
      `daybook: ${file} cannot be imported: it is not a text file with a JSON object a line\n`,
    )
    const after = await json<{ projections: { head: number }[] }>('status')
    expect(after.projections[0]?.head).toBe(before.projections[0]?.head)
  })

  test('a file that is not there is named', async () => {
    const { exitCode, stderr } = await cli('import', join(folder, 'nothing.jsonl'))
    expect(exitCode).toBe(2)
    expect(stderr).toContain('there is no such file')
  })

  test('cut off by kill -9 of the daemon and run again, every line is there once, in the order of the file', async () => {
    const { lines, texts } = jsonLines('killed', 1_000)
    const file = join(folder, 'killed.jsonl')
    writeFileSync(file, lines.join('\n'))

    const first = startCli(['import', '-', '--retry-seconds', '0', '--json'], environment)
    first.process.stdin.write(`${lines.slice(0, 450).join('\n')}\n`)
    await vi.waitFor(async () => expect((await textsOf('killed')).length).toBeGreaterThanOrEqual(200))
    await daemon.kill()
    first.process.stdin.end(lines.slice(450).join('\n'))
    const { exitCode, stdout, stderr } = await first.ended
    expect(exitCode).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ ended: 'failed' })
    expect(stderr).toContain('does not answer at')

    await start()
    const before = (await textsOf('killed')).length
    expect(before).toBeGreaterThanOrEqual(200)
    expect(before).toBeLessThan(1_000)
    const again = await json('import', file)
    expect(again).toMatchObject({
      imported: 1_000 - before,
      alreadyThere: before,
      failed: 0,
      ended: 'complete',
    })
    expect(await textsOf('killed')).toEqual(texts)
    expect(await json('import', file)).toMatchObject({ imported: 0, alreadyThere: 1_000 })
  })

  test('waits for a daemon that is killed and comes back, as a follower of the journal does', async () => {
    const { lines, texts } = jsonLines('restarted', 600)
    const follower = startCli(['tail', '--json', '--after', '0', '--kind', 'note'], environment)
    const followed = () =>
      follower
        .stdout()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { sequence: number; memory: { text: string; context: string } })
    const ofThis = () => followed().filter(({ memory }) => memory.context === 'restarted')

    const importing = startCli(['import', '-', '--json'], environment)
    importing.process.stdin.write(`${lines.slice(0, 350).join('\n')}\n`)
    await vi.waitFor(() => expect(ofThis().length).toBeGreaterThanOrEqual(200))
    await daemon.kill()
    importing.process.stdin.end(lines.slice(350).join('\n'))
    await vi.waitFor(() => expect(importing.stderr()).toContain('Waiting for it'))
    await vi.waitFor(() => expect(follower.stderr()).toContain('is lost'))
    await start()

    const { exitCode, stdout } = await importing.ended
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ failed: 0, ended: 'complete' })
    expect(await textsOf('restarted')).toEqual(texts)

    await vi.waitFor(() => expect(ofThis().length).toBe(600))
    expect(ofThis().map(({ memory }) => memory.text)).toEqual(texts)
    const sequences = followed().map(({ sequence }) => sequence)
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
    follower.process.kill('SIGINT')
    expect((await follower.ended).exitCode).toBe(0)
    expect(follower.stderr()).toContain('Connected again')
  })
})

describe('tail', () => {
  test('prints a line an event, and ends quietly with its reader', async () => {
    const tail = startCli(['tail', '--after', '0'], environment)
    await vi.waitFor(() => expect(tail.stdout().split('\n').length).toBeGreaterThan(2))
    expect(tail.stdout().split('\n')[0]).toMatch(/^ {5}1 {2}\d{4}-\S+Z {2}MemoryRemembered {3}[a-z]+ +\S/u)
    tail.process.stdout.destroy()
    await cli('remember', 'note', 'one more')
    await cli('remember', 'note', 'and one more')
    expect(await tail.ended).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('a sequence beyond the journal is refused: it would wait for ever', async () => {
    const { exitCode, stderr } = await cli('tail', '--after', '99999999')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('The journal ends at sequence')
  })
})

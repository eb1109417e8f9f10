import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDaemon, REPOSITORY } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

/* Runs the code of docs/subscriptions.md unchanged. */

const page = readFileSync(join(REPOSITORY, 'docs/subscriptions.md'), 'utf8')
const examples = [...page.matchAll(/```js\n([^]*?)```/gu)].map(([, code = '']) => code)

const daemon = createTestDaemon()
const started: ChildProcess[] = []
let apiKey = ''

/** Runs a program in the repository, where it finds its packages. @returns what it prints, as it grows */
function run(code: string, environment: Record<string, string>) {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: join(REPOSITORY, 'test'),
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let [printed, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { lines: () => printed.split('\n').filter(Boolean), errors: () => errors, ended }
}

async function remember(text: string): Promise<void> {
  const query = 'mutation ($input: RememberInput!) { remember(input: $input) { __typename } }'
  dataOf(await daemon.graphql({ query, variables: { input: { content: { note: { text } } } } }))
}

beforeAll(async () => {
  await daemon.start()
  apiKey = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
  await remember('one')
  await remember('two')
})
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL')
  await daemon.remove()
})

test('the page has an example for each client', () => {
  expect(examples.map((code) => /from '(graphql-\w+)'/u.exec(code)?.[1])).toEqual([
    'graphql-sse',
    'graphql-ws',
  ])
})

describe('the examples', () => {
  test('bring each event once, over a daemon that is killed and comes back', async () => {
    const url = daemon.url() ?? ''
    const running = examples.map((code) => run(code, { DAYBOOK_URL: url, DAYBOOK_API_KEY: apiKey }))
    const expectLines = (expected: string[]) =>
      vi.waitFor(
        () =>
          expect(running.map(({ lines, errors }) => [lines(), errors()])).toEqual(
            examples.map(() => [expected, '']),
          ),
        { interval: 100 },
      )
    const before = ['1 MemoryRemembered one', '2 MemoryRemembered two']
    await expectLines(before)
    await daemon.kill()
    await daemon.start({ environment: { DAYBOOK_PORT: new URL(url).port } })
    await remember('three')
    await expectLines([...before, '3 MemoryRemembered three'])
  })

  test('end where the key is wrong, which trying again does not mend', async () => {
    const environment = { DAYBOOK_URL: daemon.url() ?? '', DAYBOOK_API_KEY: 'dbk_wrong' }
    for (const { ended, lines } of examples.map((code) => run(code, environment))) {
      expect(await ended).toBe(1)
      expect(lines()).toEqual([])
    }
  })
})

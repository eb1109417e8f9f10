import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { CHROMIUM } from '../src/console/support/chromium.ts'
import { startVisit } from '../src/console/support/visit.ts'
import { createTestDaemon } from '../src/support/daemon.ts'
import { dataOf } from '../src/support/graphql.ts'
import { percentile } from '../src/support/percentile.ts'
import { type BenchOptions } from './bench.ts'
import { fillDaemon } from './fill-daemon.ts'
import { questions } from './generated-texts.ts'

/**
 * Measures the console's search as its user feels it: from a key press until the hits are painted, with each key pressed
 * when the hits of the one before are there. Beside it the API's own time, from the request to the end of its answer.
 */
export const name = 'console-search'
export const description =
  'key press to painted hits in the console, with 10,000 memories, against the API alone'

const MEMORIES = 10_000
/** Questions typed in a round. */
const ROUNDS = 1
const QUESTIONS = 12
/** Of each question, so many characters are typed. */
const CHARACTERS = 16
const GOAL_MS = 150

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  if (CHROMIUM === null) return
  const daemon = createTestDaemon(undefined, { embedder: 'minilm' })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    await daemon.start()
    await fillDaemon(daemon, MEMORIES)
    const url = daemon.url() as string
    const visit = await startVisit(browser, url)
    const { createLoginLink } = dataOf(
      await daemon.graphql<{ createLoginLink: { path: string } }>({
        query: 'mutation { createLoginLink { path } }',
      }),
    )
    await visit.page.goto(createLoginLink.path)
    const field = visit.page.getByRole('searchbox')
    await field.waitFor()
    // tsx wraps functions in a helper that the page does not have.
    await visit.page.evaluate('globalThis.__name = (one) => one')
    await visit.page.evaluate(watchKeyPresses)
    const painted: number[] = []
    const answered: number[] = []
    for (const question of questions(QUESTIONS * rounds)) {
      await field.fill('')
      await visit.page.getByText('the newest first').waitFor()
      for (const character of question.slice(0, CHARACTERS)) {
        const { paintedMs, answeredMs } = await press(visit.page, character)
        painted.push(paintedMs)
        answered.push(answeredMs)
      }
    }
    await visit.end()
    print('key press to painted hits', painted, GOAL_MS)
    print('the API alone', answered)
    const key = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8')
    if (daemon.log(10_000_000).includes(key.trim())) throw new Error('the log holds the key')
  } finally {
    await browser.close()
    await daemon.remove()
  }
}

function print(what: string, times: readonly number[], goal?: number): void {
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
  const judged = goal === undefined ? '' : `   goal ${goal}${p95 <= goal ? '' : '   MISSED'}`
  console.log(
    `  ${what.padEnd(28)} p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${times.length}${judged}`,
  )
}

interface Measured {
  readonly paintedMs: number
  readonly answeredMs: number
}

interface Watched {
  measured: ((times: Measured) => void) | undefined
}

/** Runs in the page: tells `measured` when the hits of what was typed have been painted. */
function watchKeyPresses(): void {
  const watched = globalThis as unknown as Watched
  document.querySelector('input[type="search"]')?.addEventListener('input', (event) => {
    const { value } = event.target as HTMLInputElement
    const look = () => {
      const shown = document.querySelector<HTMLElement>('[data-answers]')?.dataset['answers']
      if (shown !== value) return void requestAnimationFrame(look)
      // Frames begin with these callbacks: after the next one begins, this one's picture is on the screen.
      requestAnimationFrame(() => {
        const last = performance
          .getEntriesByType('resource')
          .findLast(({ name: url }) => url.endsWith('/graphql'))
        watched.measured?.({
          paintedMs: performance.now() - event.timeStamp,
          answeredMs: last?.duration ?? Number.NaN,
        })
        performance.clearResourceTimings()
      })
    }
    requestAnimationFrame(look)
  })
}

async function press(page: Page, character: string): Promise<Measured> {
  const measured = page.evaluate(
    () =>
      new Promise<Measured>((resolve) => {
        ;(globalThis as unknown as Watched).measured = resolve
      }),
  )
  await page.keyboard.type(character)
  return measured
}

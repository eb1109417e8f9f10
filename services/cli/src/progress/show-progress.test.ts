import { PassThrough } from 'node:stream'
import type { WriteStream } from 'node:tty'
import stringWidth from 'string-width'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Clock, showProgress } from './show-progress.ts'

/** A clock that is moved by hand. */
function createClock() {
  let now = 1_000
  const timers = new Set<{ readonly every: number; next: number; readonly action: () => void }>()
  const clock: Clock = {
    now: () => now,
    every(every, action) {
      const timer = { every, next: now + every, action }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  return {
    clock,
    timers,
    pass(milliseconds: number) {
      now += milliseconds
      for (const timer of timers) for (; timer.next <= now; timer.next += timer.every) timer.action()
    },
  }
}

/** A stream that keeps what is written; as a terminal, one of so many columns. */
function createOutput(columns?: number) {
  const stream = new PassThrough() as unknown as WriteStream
  let text = ''
  stream.on('data', (part: Buffer) => (text += part.toString()))
  if (columns !== undefined)
    Object.assign(stream, {
      isTTY: true,
      columns,
      cursorTo: () => stream.write('\r'),
      moveCursor: () => true,
      clearLine: () => stream.write('\u001B[K'),
    })
  return {
    stream,
    written: () => {
      const all = text
      text = ''
      return all
    },
  }
}

const at = (done: number, phase = 'loading') => ({ work: 'reindex of pgvector', phase, done, total: 10_000 })

let term: string | undefined
beforeEach(() => {
  term = process.env['TERM']
  process.env['TERM'] = 'xterm'
})
afterEach(() => {
  process.env['TERM'] = term
})

test('without a terminal it prints a line for each phase and every five seconds, with the time left', async () => {
  const { clock, pass } = createClock()
  const { stream, written } = createOutput()
  const display = await showProgress({ stream, clock })
  display.update(at(0))
  expect(written()).toBe('reindex of pgvector: loading 0 % (0 of 10,000) …\n')
  for (let second = 1; second < 5; second += 1) {
    pass(1_000)
    display.update(at(second * 100))
  }
  expect(written()).toBe('')
  pass(1_000)
  display.update(at(500))
  expect(written()).toBe('reindex of pgvector: loading 5 % (500 of 10,000, 100/s, 1 min 35 s left) …\n')
  // Another phase counts something else.
  display.update(at(10, 'verifying'))
  expect(written()).toBe('reindex of pgvector: verifying 0 % (10 of 10,000) …\n')
  display.say('Connected again.')
  display.stop()
  expect(written()).toBe('Connected again.\n')
})

test('short work is not talked about', async () => {
  const { clock, pass } = createClock()
  const { stream, written } = createOutput()
  const display = await showProgress({ stream, clock, quietMs: 3_000 })
  display.update(at(0))
  pass(2_900)
  display.update(at(100))
  expect(written()).toBe('')
  pass(100)
  display.update(at(3_000))
  expect(written()).toBe('reindex of pgvector: loading 30 % (3,000 of 10,000, 1,000/s, 7.0 s left) …\n')
})

test('a terminal has a bar that fits, and whose time left goes on while nothing comes', async () => {
  const { clock, pass, timers } = createClock()
  const { stream, written } = createOutput(60)
  const display = await showProgress({ stream, clock })
  display.update(at(0))
  pass(1_000)
  display.update(at(1_000))
  const shown = () =>
    written()
      // oxlint-disable-next-line no-control-regex
      .split(/\r|\n|\u001B\[[?0-9]*[a-zA-Z]/u)
      .filter((line) => line.trim() !== '')
  expect(shown().at(-1)).toBe('loading      10 %  1,000 of 10,000  1,000/s  9.0 s left')
  pass(2_000)
  const later = shown()
  expect(later.at(-1)).toBe('loading      10 %  1,000 of 10,000  333/s  27 s left')
  for (const line of later) expect(stringWidth(line)).toBeLessThan(60)
  display.say('a word that is worth reading while the work goes on, longer than sixty columns')
  expect(shown().slice(0, 2)).toEqual([
    'a word that is worth reading while the work goes on, longer',
    'than sixty columns',
  ])
  display.stop()
  expect(timers.size).toBe(0)
})

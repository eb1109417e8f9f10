import { expect, it } from 'vitest'
import { createReachedPositions } from './reached-positions.ts'

/** The outcomes of the waits so far. */
async function settled(waits: readonly Promise<void>[]): Promise<string[]> {
  return Promise.all(
    waits.map((wait) =>
      Promise.race([
        wait.then(
          () => 'reached',
          () => 'given up',
        ),
        new Promise<string>((resolve) => setImmediate(() => resolve('waiting'))),
      ]),
    ),
  )
}

it('lets those go whose place has been reached, in their project only', async () => {
  const reached = createReachedPositions()
  const waits = [reached.wait('a', 1), reached.wait('a', 3), reached.wait('a', 4), reached.wait('b', 1)]
  reached.moved('a', 3)
  expect(await settled(waits)).toEqual(['reached', 'reached', 'waiting', 'waiting'])
  reached.moved('a', 2)
  reached.moved('b', 7)
  expect(await settled(waits)).toEqual(['reached', 'reached', 'waiting', 'reached'])
})

it('tells those who still wait at the end that it came to nothing', async () => {
  const reached = createReachedPositions()
  const waits = [reached.wait('a', 1), reached.wait('b', 1)]
  reached.moved('a', 1)
  reached.giveUp()
  expect(await settled(waits)).toEqual(['reached', 'given up'])
})

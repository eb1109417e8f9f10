import { expect, it } from 'vitest'
import { restAfterLook } from './projects.ts'

it('a look at all projects is followed by a rest that grows with them, up to a minute', () => {
  const rests = [1, 1_000, 5_000, 100_000, 10_000_000].map((projects) =>
    restAfterLook({ projects, behind: [] }, 1_000),
  )
  expect(rests).toEqual([1_000, 1_000, 1_500, 30_000, 60_000])
})

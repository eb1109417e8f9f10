import { expect, test } from 'vitest'
import { runTenants } from './run.ts'

const REQUESTS = 150

test('projects side by side on one daemon see nothing of each other', async () => {
  const seed = Number(process.env.DAYBOOK_TENANTS_SEED ?? 7)
  const run = await runTenants({ projects: 6, memories: 20, requests: REQUESTS, seed })
  expect(run.leaks, `seed ${seed}`).toEqual([])
  expect(run.withOwn).toBeGreaterThan(REQUESTS / 3)
})

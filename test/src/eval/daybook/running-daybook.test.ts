import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { runningDaybook } from './running-daybook.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** Answers every request with a project whose first memory has these categories. */
async function daybookWith(categories: readonly string[] | null): Promise<{ url: string; apiKey: string }> {
  const journal = categories === null ? [] : [{ memory: { categories } }]
  server = createServer((_, response) => response.end(JSON.stringify({ data: { journal } })))
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'a key' }
}

it('takes an empty project, and one of an evaluation before', async () => {
  const daybook = await runningDaybook(await daybookWith(null), false)
  expect(daybook.place('conversation 26')).toMatchObject({ category: 'eval: conversation 26', shared: true })
  await expect(runningDaybook(await daybookWith(['eval: all']), false)).resolves.toBeDefined()
})

it("refuses somebody's own project unless told otherwise", async () => {
  await expect(runningDaybook(await daybookWith(['person']), false)).rejects.toThrow(
    'holds memories of somebody',
  )
  await expect(runningDaybook(await daybookWith(['person']), true)).resolves.toBeDefined()
})

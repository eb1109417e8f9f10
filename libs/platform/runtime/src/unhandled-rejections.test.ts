import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'
import { answerProbe } from './probes.ts'
import { surviveRejections } from './unhandled-rejections.ts'

let end = () => {}
afterEach(() => end())

const metrics = createMetrics({ service: 'tested' })
const counted = async () =>
  /^daybook_unhandled_rejections_total\{.*\} (\d+)$/mu.exec(await metrics.text())?.[1]

async function ready() {
  const server = createServer((_, response) => {
    const isReady = async () => ({ ready: true, problems: [], degraded: ['no model'] })
    void answerProbe('/ready', response, { metrics: null, ready: isReady })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const response = await fetch(`http://127.0.0.1:${port}/ready`)
  server.close()
  return { status: response.status, body: (await response.json()) as { degraded: string[] } }
}

it('a rejection that nobody handles is logged, counted and told by /ready, without its text', async () => {
  const node = new EventEmitter()
  const lines: string[] = []
  const error = (fields: { error: Error }) => lines.push(fields.error.message)
  end = surviveRejections({ error } as never, node)
  expect(await counted()).toBe('0')
  expect((await ready()).body.degraded).toEqual(['no model'])
  node.emit('unhandledRejection', new TypeError('a private text'))
  node.emit('unhandledRejection', 'no error at all')
  expect(lines).toEqual(['a private text', 'no error at all'])
  expect(await counted()).toBe('2')
  const { status, body } = await ready()
  expect(status).toBe(200)
  expect(body.degraded).toEqual([
    'no model',
    expect.stringContaining('nothing handled since the process began: 2'),
  ])
  expect(JSON.stringify(body)).not.toContain('private')
  end()
  expect((await ready()).body.degraded).toEqual(['no model'])
  expect(node.listenerCount('unhandledRejection')).toBe(0)
})

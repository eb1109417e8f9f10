import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from './logger.ts'
import { createMetrics } from './metrics.ts'
import { type ServiceHttp, startServiceHttp } from './service-http.ts'
import { rawRequest, statusOf } from './testing/raw-http.ts'
import { VERSION } from './version.ts'

const AT = { host: '127.0.0.1', port: 0 }

describe('the HTTP side of a service', () => {
  const started: ServiceHttp[] = []
  afterEach(() => Promise.all(started.splice(0).map((http) => http.stop())))
  const start = async (ready: () => Promise<{ ready: boolean; problems: string[] }>) => {
    const metrics = createMetrics({ service: 'projector' })
    const http = await startServiceHttp({ ready, metrics, logger: silentLogger }, AT)
    started.push(http)
    return http.url
  }

  it('says that the process lives, whatever the rest does', async () => {
    const url = await start(() => Promise.reject(new Error('away')))
    const response = await fetch(`${url}/health`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok', version: VERSION })
  })

  it('says whether it can work, and if not, why', async () => {
    let state = { ready: true, problems: [] as string[] }
    const url = await start(async () => state)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    state = { ready: false, problems: ['the database cannot be reached'] }
    const response = await fetch(`${url}/ready`)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ ...state, degraded: [] })
  })

  it('counts a check that fails as not ready', async () => {
    const url = await start(() => Promise.reject(new Error('away')))
    const response = await fetch(`${url}/ready`)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ ready: false, problems: ['away'], degraded: [] })
  })

  it('serves metrics in the form that Prometheus reads', async () => {
    const url = await start(async () => ({ ready: true, problems: [] }))
    const response = await fetch(`${url}/metrics`)
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    expect(await response.text()).toContain('# TYPE daybook_append_seconds histogram')
  })

  it('has nothing else', async () => {
    const url = await start(async () => ({ ready: true, problems: [] }))
    expect((await fetch(`${url}/graphql`)).status).toBe(404)
  })

  it('names a port that another program uses', async () => {
    const url = await start(async () => ({ ready: true, problems: [] }))
    const taken = { host: '127.0.0.1', port: Number(new URL(url).port) }
    const probes = { ready: async () => ({ ready: true, problems: [] }), metrics: null, logger: silentLogger }
    await expect(startServiceHttp(probes, taken)).rejects.toMatchObject({ code: 'CONFIGURATION' })
  })

  it('takes nothing more once it has stopped, even with a connection open', async () => {
    const url = await start(async () => ({ ready: true, problems: [] }))
    await fetch(`${url}/health`)
    await started.pop()?.stop()
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed')
  })

  it('answers to addresses and to no name at all, and to other names only if they are allowed', async () => {
    const probes = { ready: async () => ({ ready: true, problems: [] }), metrics: null, logger: silentLogger }
    const allowedHosts = [{ name: 'projector', port: null }]
    const http = await startServiceHttp(probes, { ...AT, allowedHosts })
    started.push(http)
    const ask = async (head: string) =>
      statusOf(await rawRequest(http.url, `GET /health HTTP/1.${head}\r\nConnection: close\r\n\r\n`))
    const { port } = new URL(http.url)
    for (const host of [
      '10.1.2.3',
      '10.1.2.3:4001',
      '[fd00::1]:80',
      `localhost:${port}`,
      `projector:${port}`,
    ])
      expect(await ask(`1\r\nHost: ${host}`), host).toBe(200)
    expect(await ask('0')).toBe(200)
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`])
      expect(await ask(`1\r\nHost: ${host}`), host).toBe(421)
  })
})

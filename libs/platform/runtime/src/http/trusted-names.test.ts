import { describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { createTrustedNames } from './trusted-names.ts'

const PORT = 4000
const namesOf = (environment: Record<string, string>) => {
  const names = createTrustedNames(readConfig(environment))
  return {
    host: (host: string | undefined, authority: string | null = null) =>
      names.isHost({ host, authority, port: PORT }),
    probe: (host: string | undefined) => names.isProbeHost({ host, authority: null, port: PORT }),
    origin: (origin: string | undefined, host = '127.0.0.1:4000') =>
      names.isOrigin(origin, { host, authority: null, port: PORT }),
  }
}

describe('the names of a server on loopback', () => {
  const names = namesOf({})

  it('are its three own with its own port', () => {
    for (const host of ['127.0.0.1:4000', 'localhost:4000', 'LOCALHOST:4000', '[::1]:4000'])
      expect(names.host(host), host).toBe(true)
  })

  it.each([
    undefined,
    '',
    'localhost',
    '127.0.0.1',
    'localhost:4001',
    'localhost:04000x',
    'localhost.:4000',
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example:4000',
    '127.0.0.1.evil.example:4000',
    'evil-localhost:4000',
    '127.0.0.2:4000',
    '127.1:4000',
    '2130706433:4000',
    '0x7f.1:4000',
    '0.0.0.0:4000',
    '[::ffff:127.0.0.1]:4000',
    '192.168.1.5:4000',
    'user@localhost:4000',
    'localhost:4000, evil.example',
    'lоcalhost:4000',
  ])('do not include %s', (host) => {
    expect(names.host(host)).toBe(false)
  })

  it('are asked of the target too, which counts more than the header', () => {
    expect(names.host('127.0.0.1:4000', '127.0.0.1:4000')).toBe(true)
    expect(names.host('127.0.0.1:4000', 'evil.example')).toBe(false)
    expect(names.host('127.0.0.1:4000', '')).toBe(false)
  })

  it('of probes may be any address, or none', () => {
    for (const host of [undefined, '', '10.0.0.7:4000', '10.0.0.7', '[fd00::7]:4000', 'localhost:4000'])
      expect(names.probe(host), host).toBe(true)
    for (const host of ['evil.example', '10.0.0.7.evil.example:4000', '10.0.0', 'localhost'])
      expect(names.probe(host), host).toBe(false)
  })

  it('are the origins of its pages, and nobody else’s is one', () => {
    for (const origin of [undefined, 'http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000'])
      expect(names.origin(origin), origin).toBe(true)
    for (const origin of [
      'null',
      '',
      'http://localhost',
      'http://localhost:3000',
      'https://localhost:4000',
      'http://127.0.0.1:4000.evil.example',
      'http://127.0.0.1:4000@evil.example',
      'http://evil.example:4000',
      'https://evil.example',
      'file://',
      'chrome-extension://abcdef',
    ])
      expect(names.origin(origin), origin).toBe(false)
  })
})

describe('the names of a server that others can reach', () => {
  const names = namesOf({
    DAYBOOK_HOST: '0.0.0.0',
    DAYBOOK_ALLOWED_HOSTS: 'Daybook.Example.com, gateway:8080',
    DAYBOOK_ALLOWED_ORIGINS: 'https://App.example.com:443, chrome-extension://abcdef',
  })

  it('are addresses, which no page can have, and those of the settings', () => {
    for (const host of [
      '10.0.0.7:4000',
      '192.168.1.5:31000',
      '[fd00::7]:4000',
      'localhost:8081',
      'daybook.example.com',
      'daybook.example.com:443',
      'daybook.example.com:4000',
      'gateway:8080',
    ])
      expect(names.host(host), host).toBe(true)
    for (const host of [
      'evil.example',
      'evil.example:4000',
      'daybook.example.com:8443',
      'x.daybook.example.com',
      'gateway',
      'gateway:4000',
      '10.0.0.7.evil.example',
    ])
      expect(names.host(host), host).toBe(false)
  })

  it('allow pages of the same name, and origins of the settings', () => {
    for (const origin of ['https://daybook.example.com', 'http://daybook.example.com'])
      expect(names.origin(origin, 'daybook.example.com'), origin).toBe(true)
    for (const origin of ['https://app.example.com', 'chrome-extension://abcdef'])
      expect(names.origin(origin, 'daybook.example.com'), origin).toBe(true)
    for (const origin of [
      'http://app.example.com',
      'https://app.example.com.evil.example',
      'https://daybook.example.com:8443',
      'http://10.0.0.7:4000',
      'http://localhost:3000',
    ])
      expect(names.origin(origin, 'daybook.example.com'), origin).toBe(false)
  })
})

describe('the settings of names', () => {
  it.each([
    ['DAYBOOK_ALLOWED_HOSTS', 'https://daybook.example.com'],
    ['DAYBOOK_ALLOWED_HOSTS', '*'],
    ['DAYBOOK_ALLOWED_HOSTS', 'daybook.example.com/graphql'],
    ['DAYBOOK_ALLOWED_ORIGINS', 'app.example.com'],
    ['DAYBOOK_ALLOWED_ORIGINS', '*'],
    ['DAYBOOK_ALLOWED_ORIGINS', 'https://*.example.com'],
    ['DAYBOOK_ALLOWED_ORIGINS', 'https://app.example.com/'],
    ['DAYBOOK_ALLOWED_ORIGINS', 'null'],
  ])('%s refuses %s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`${name}: must be`, 'u'))
  })

  it('switch GraphiQL and introspection on where only this machine can connect', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1', '127.0.0.5'])
      expect(readConfig({ DAYBOOK_HOST: host })).toMatchObject({ graphiql: true, introspection: true })
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'daybook.internal', '127.0.0.1.evil.example'])
      expect(readConfig({ DAYBOOK_HOST: host })).toMatchObject({ graphiql: false, introspection: false })
    const on = { DAYBOOK_HOST: '0.0.0.0', DAYBOOK_GRAPHIQL: 'on', DAYBOOK_INTROSPECTION: 'on' }
    expect(readConfig(on)).toMatchObject({ graphiql: true, introspection: true })
  })
})

import { describe, expect, it } from 'vitest'
import { parseServerAddress } from './server-address.ts'

describe('the address of NATS', () => {
  it.each([
    ['nats://localhost', { servers: ['localhost:4222'] }],
    ['10.0.0.1:4333', { servers: ['10.0.0.1:4333'] }],
    ['nats://a:1, nats://b:2', { servers: ['a:1', 'b:2'] }],
    ['nats://me:p%40ss@a', { servers: ['a:4222'], user: 'me', pass: 'p@ss' }],
    ['nats://a,nats://me:secret@b', { servers: ['a:4222', 'b:4222'], user: 'me', pass: 'secret' }],
    ['nats://t0ken@a', { servers: ['a:4222'], token: 't0ken' }],
    ['tls://a', { servers: ['a:4222'], tls: {} }],
    ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
  ])('%s is read', (given, options) => {
    expect(parseServerAddress(given).options).toEqual(options)
  })

  it('is shown without credentials', () => {
    expect(parseServerAddress('nats://me:secret@a:1,nats://b').shown).toBe('a:1,b:4222')
  })

  it.each(['', 'http://me:s3cret@a', 'nats://', 'nats://me:s3cret@a:port'])(
    '%s is refused without repeating it',
    (given) => {
      expect(() => parseServerAddress(given)).toThrow(expect.objectContaining({ code: 'CONFIGURATION' }))
      expect(() => parseServerAddress(given)).not.toThrow('s3cret')
    },
  )
})

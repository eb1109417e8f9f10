import { describe, expect, it } from 'vitest'
import { requireNextHome } from './home-state.ts'

const allowed = [
  { name: '127.0.0.1', port: null },
  { name: 'laptop', port: 4000 },
]

const asked = (url: string, byAdministrator: boolean) => requireNextHome(url, { allowed, byAdministrator })

describe('the address of a new home', () => {
  it.each(['http://127.0.0.1:4100', 'http://laptop:4000'])('may be %s, which the setting names', (url) =>
    expect(asked(url, false)).resolves.toBeUndefined(),
  )

  it.each(['http://laptop:4001', 'https://laptop', 'http://203.0.113.7:4000'])(
    'may not be %s, if a key of a project asks',
    (url) => expect(asked(url, false)).rejects.toThrow('DAYBOOK_NEXT_HOMES'),
  )

  it('may be another one, if a key asks that may run the whole Daybook', () =>
    expect(asked('http://203.0.113.7:4000', true)).resolves.toBeUndefined())

  it.each([
    'http://127.0.0.2:4000',
    'http://localhost:4000',
    'http://0x7f.2',
    'http://0.0.0.0',
    'http://[::1]:4000',
    'http://[::ffff:127.0.0.2]',
    'http://[fe80::1]',
    'http://169.254.169.254',
    'http://[fd00:ec2::254]',
  ])('may never be %s, unless the setting names it', (url) =>
    expect(asked(new URL(url).origin, true)).rejects.toThrow('its own machine or link'),
  )

  it.each([
    'http://laptop:4000/?a=',
    'http://laptop:4000/path',
    'http://me:secret@laptop:4000',
    'http://laptop:4000#x',
  ])('is nothing but an address, unlike %s', (url) =>
    expect(asked(url, true)).rejects.toThrow('without a path'),
  )
})

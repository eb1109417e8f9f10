import { isInProportion } from '@daybook/runtime/testing/growth'
import { expect, test } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

/** Built here, so that no scanner takes this file for a leak. */
const SECRETS = [
  `dbk_${'a1B2'.repeat(8)}`,
  `sk-ant-${'a1B2-'.repeat(8)}`,
  `ghp_${'a1B2'.repeat(9)}`,
  `github_pat_${'a1B2'.repeat(9)}`,
  `xoxb-${'1234-'.repeat(5)}`,
  `AKIA${'ABCD'.repeat(4)}`,
  `AIza${'a1B2'.repeat(9)}`,
  `eyJ${'a1B2'.repeat(6)}.${'a1B2'.repeat(6)}.${'a1B2'.repeat(6)}`,
  `${'0123456789abcdef'.repeat(2)}`,
  `-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----`,
]

test.each(SECRETS)('masks %s', (secret) => {
  const masked = maskSecrets(`before ${secret} after`)
  expect(masked).toBe('before [masked] after')
})

test('masks what is named a secret', () => {
  expect(maskSecrets('password=hunter2')).toBe('password=[masked]')
  expect(maskSecrets('DB_PASSWORD: "hunter2"')).toBe('DB_PASSWORD: "[masked]"')
  expect(maskSecrets('{"api_key": "abcd1234"}')).toBe('{"api_key": "[masked]"}')
  expect(maskSecrets('my password is hunter2')).toBe('my password is [masked]')
  expect(maskSecrets('run it with --token abcdef')).toBe('run it with --token [masked]')
  expect(maskSecrets('Authorization: Bearer abcdef123456')).toBe('Authorization: Bearer [masked]')
  expect(maskSecrets('postgres://ada:lovelace@db/shop')).toBe('postgres://ada:[masked]@db/shop')
})

test('leaves text, paths, ids and names of variables', () => {
  for (const text of [
    'Fix the login page: the token is missing there, and tests fail',
    'services/gateway/src/http/check-scopes-of-everything-2.test.ts',
    'insight:01a1fe0b-6eef-734a-b49a-0e8ed7139e1a',
    'Authorization: Bearer ${DAYBOOK_API_KEY}',
    'bearer_token_env_var = "DAYBOOK_API_KEY"',
    '"DAYBOOK_API_KEY": "${env:DAYBOOK_API_KEY}"',
    'https://github.com/acme/shop/pull/12345',
    'anExtremelyLongFunctionNameThatNobodyWouldWriteByHand()',
  ])
    expect(maskSecrets(text)).toBe(text)
})

test('is quick on a long text', async () => {
  for (const text of ['a1-'.repeat(50_000), 'token '.repeat(20_000)])
    expect(await isInProportion(maskSecrets, text), text.slice(0, 6)).toBe(true)
})

import { expect, test } from 'vitest'
import { checkNode, checkVersions, renderChecks } from '../commands/doctor.ts'
import { createPainter } from '../output/print.ts'

test('what is wrong stands out, with what to do below it', () => {
  const text = renderChecks(
    [
      { name: 'url', status: 'OK', message: 'Daybook answers', advice: null },
      { name: 'pgvector', status: 'WARNING', message: 'pgvector 0.8.0\u001B[2J', advice: 'update\nit' },
    ],
    createPainter(false),
  )
  expect(text).toBe(
    [
      'OK       url       Daybook answers',
      'WARNING  pgvector  pgvector 0.8.0',
      '                   → update it',
      '',
      '2 checks: 1 well, 1 with a warning, 0 failed.',
    ].join('\n'),
  )
})

test('Node must be new enough', () => {
  const found = ['18.20.0', '20.18.3', '20.19.0', '22.1.0', '24.0.0'].map((one) => checkNode(one).status)
  expect(found).toEqual(['FAILED', 'FAILED', 'OK', 'OK', 'OK'])
})

test('CLI and daemon should be of one version', () => {
  expect(checkVersions('0.1.0', '0.1.0').status).toBe('OK')
  expect(checkVersions('0.1.0', '0.2.0')).toMatchObject({ status: 'WARNING', advice: expect.any(String) })
  expect(checkVersions('0.1.0', null).message).toContain('does not say')
})

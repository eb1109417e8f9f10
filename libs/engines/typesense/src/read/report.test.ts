import { describe, expect, it } from 'vitest'
import { judgeTypesense } from './report.ts'

const facts = { problem: null, version: '29.0', documents: 3, alias: 'daybook_memories_g2' }

describe('what is reported of Typesense', () => {
  it.each([
    ['OK', judgeTypesense(facts, { generation: 2 })],
    ['OK', judgeTypesense({ ...facts, version: null }, { generation: 2 })],
    ['WARNING', judgeTypesense(facts, { generation: 3 })],
    ['WARNING', judgeTypesense({ ...facts, alias: null }, { generation: 2 })],
    ['FAILED', judgeTypesense({ ...facts, documents: null }, { generation: 2 })],
    ['FAILED', judgeTypesense({ ...facts, problem: 'no answer' }, { generation: 2 })],
  ])('is %s: %o', (status, report) => {
    expect(report.status).toBe(status)
    expect(report.message).not.toMatch(/undefined|null|NaN/u)
    // Every warning comes with advice.
    if (status !== 'OK') expect(report.advice).toMatch(/\S/u)
  })
})

import { startTestGateway, type TestClient, type TestGateway } from '@daybook/gateway/testing/test-gateway'
import { write } from '@daybook/gateway/testing/writers'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

let database: TestDatabase
let gateway: TestGateway
let client: TestClient
beforeAll(async () => {
  database = await (TEST_DATABASES[0] as (typeof TEST_DATABASES)[number]).start()
  gateway = await startTestGateway(database)
})
beforeEach(async () => {
  client = await gateway.newClient()
})
afterAll(async () => {
  await gateway?.stop()
  await database?.stop()
})

const review = (...line: string[]) =>
  runCli(['review', ...line], { DAYBOOK_URL: client.url, DAYBOOK_API_KEY: client.key })

test('suspected pairs are listed with what differs, and how to settle them', async () => {
  expect(await review()).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Nothing is suspected.'),
  })
  const older = await write(client, 'The gateway of the web shop listens on port 8080.')
  const newer = await write(client, 'The gateway of the web shop\u001B[31m listens on port 8443.')
  const { stdout, stderr } = await review('--suspicion', 'contradicts')
  expect(stdout).toContain('1. They seem to contradict each other')
  expect(stdout).toContain('"8080" → "8443"')
  expect(stdout).toContain(older)
  expect(stdout).not.toContain('\u001B')
  expect(stderr).toContain('daybook review settle <older> <newer> --as supersede|keep-both|merge|forget')
  const { pairs, next } = JSON.parse((await review('--json')).stdout)
  expect(pairs).toMatchObject([{ kind: 'CONTRADICTS', older: { id: older }, newer: { id: newer } }])
  expect(next).toBeNull()
  expect((await review('--suspicion', 'duplicate', '--context', 'shop')).stdout).toBe('')
})

test('settling says what it did and how to undo it', async () => {
  const older = await write(client, 'The gateway of the web shop listens on port 8080.')
  const newer = await write(client, 'The gateway of the web shop listens on port 8443.')
  const { stdout } = await review('settle', older, newer, '--as', 'keep-both')
  expect(stdout).toMatch(/^Both stay, and are not suspected again\.\n/u)
  const undo = /Undo \(1 event\): {2}daybook (undo --since \S+ --correlation-id \S+)/u.exec(stdout)?.[1]
  const environment = { DAYBOOK_URL: client.url, DAYBOOK_API_KEY: client.key }
  const planned = await runCli([...(undo ?? '').split(' '), '--dry-run'], environment)
  expect(planned.stdout).toContain('Memories that change: 1; refused: 0.')
  expect((await review('settle', older, newer, '--as', 'keep-both')).stdout).toContain('It was so already.')
  expect(JSON.parse((await review('settle', older, newer, '--as', 'merge', '--json')).stdout)).toMatchObject({
    events: 1,
    older: { id: older, forgottenAt: expect.any(String) },
  })
  expect(await review('settle', older, newer, '--as', 'nonsense')).toMatchObject({ exitCode: 2 })
  expect(await review('settle', newer, newer, '--as', 'forget')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('newer is the older memory itself: give two'),
  })
})

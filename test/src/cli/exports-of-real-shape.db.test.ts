import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useFolder, writeIn } from '@daybook/cli/import/testing/foreign-files'
import { zipOf } from '@daybook/cli/import/testing/zip'
import { startTestGateway, type TestClient, type TestGateway } from '@daybook/gateway/testing/test-gateway'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Account, EXPORTS, type Files, NOTION, PROJECT } from './real-exports.ts'
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

const folder = useFolder()

test.each(EXPORTS)(
  'an export of %s imports with a complete account, and its archive changes nothing after it',
  async (tool, file, files, expected) => {
    for (const [path, content] of Object.entries(files)) writeIn(join(folder, tool), path, content)
    const first = await importedFrom(join(folder, tool, file))
    expect(first).toEqual({ imported: 0, revised: 0, alreadyThere: 0, failed: 0, leftOut: {}, ...expected })
    const head = await readHead()
    expect(head).toBe(first.imported)
    expect(await importedFrom(zip(`${tool}.zip`, files))).toEqual({
      ...first,
      imported: 0,
      alreadyThere: first.imported + first.alreadyThere,
    })
    expect(await readHead()).toBe(head)
  },
)

test('Notion’s archive within an archive has the account of its folder, which changes nothing after it', async () => {
  for (const [path, content] of Object.entries(NOTION)) writeIn(join(folder, 'Export/Part-1'), path, content)
  const first = await importedFrom(zip('Export.zip', { 'Part-1.zip': zipped(NOTION) }))
  const leftOut = { 'files (.csv)': 2, 'files (.png)': 1, 'files (.html)': 1 }
  expect(first).toMatchObject({ imported: 2, failed: 0, leftOut })
  expect(await importedFrom(join(folder, 'Export'))).toMatchObject({ imported: 0, alreadyThere: 2, leftOut })
})

test('what an archive holds beside files is in the account, and errors name the archive', async () => {
  const link = { name: 'link.md', content: 'Ada.md', mode: 0o120777 }
  const path = join(folder, 'linked.zip')
  writeFileSync(path, zipOf([{ name: 'Ada.md', content: 'Keeps bees.' }, link]))
  expect(await importedFrom(path)).toMatchObject({ imported: 1, leftOut: { 'symbolic links': 1 } })
  writeFileSync(path, zipOf([{ name: 'photo.png' }, { name: 'b.png' }]))
  const none = `${path} cannot be imported: it holds no Markdown file`
  expect((await runCli(['import', path], environment())).stderr).toContain(none)
  writeFileSync(path, 'no archive')
  expect(await runCli(['import', path], environment())).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`${path} cannot be imported: End of central directory`),
  })
})

test('a later export of Claude revises the project, file and memory that changed', async () => {
  const at = (path: string, content: unknown) => writeIn(join(folder, 'later'), path, content)
  const project = { uuid: PROJECT, name: 'Apiary', prompt_template: 'Answer as a beekeeper.' }
  const memory = { account_uuid: 'acct', conversations_memory: 'Keeps bees.', project_memories: {} }
  at('projects.json', [{ ...project, docs: [{ uuid: 'd1', filename: 'hives.md', content: 'Three hives.' }] }])
  at('memories.json', [{ ...memory, project_memories: { [PROJECT]: 'Winters in Rye.' } }])
  expect(await importedFrom(join(folder, 'later'))).toMatchObject({ imported: 4, revised: 0 })
  at('projects.json', [{ ...project, docs: [{ uuid: 'd1', filename: 'hives.md', content: 'Four hives.' }] }])
  at('memories.json', [{ ...memory, project_memories: { [PROJECT]: 'Winters in Hythe.' } }])
  expect(await importedFrom(join(folder, 'later'))).toMatchObject({
    imported: 0,
    revised: 2,
    alreadyThere: 2,
    failed: 0,
  })
})

test.each([
  ['America/New_York', '2024-03-05T15:00:00.000Z'],
  ['Asia/Tokyo', '2024-03-05T01:00:00.000Z'],
])('times without a zone are read in %s if TZ says so, and the account says it', async (zone, moment) => {
  const importIn = (path: string, ...options: string[]) =>
    runCli(['import', path, ...options], { ...environment(), TZ: zone })
  const line = `Times without a zone were read in ${zone}; TZ names another.`
  const vault = join(folder, zone)
  writeIn(vault, 'space.md', '---\ncreated: 2024-03-05 10:00\n---\nSpace.')
  writeIn(vault, 'letter.md', '---\ncreated: 2024-03-05T10:00:00\n---\nLetter.')
  writeIn(vault, 'digits.md', '---\ncreated: "202403051000"\n---\nDigits.')
  const lines = writeIn(folder, `${zone}.jsonl`, {
    content: { note: { text: 'A line' } },
    occurredAt: '2024-03-05 10:00',
  })
  expect((await importIn(vault, '--dry-run')).stdout).toContain(line)
  for (const path of [vault, lines])
    expect((await importIn(path)).stdout).toMatch(new RegExp(`^Done: .*\n${line}\n$`, 'u'))
  const { journal } = await client.data('{ journal(first: 10) { memory { occurredAt } } }')
  expect(journal).toEqual(Array.from({ length: 4 }, () => ({ memory: { occurredAt: moment } })))
  const zoned = writeIn(folder, `${zone}/zoned.md`, '---\ncreated: 2024-03-05T10:00:00Z\n---\nZoned.')
  expect((await importIn(zoned)).stdout).not.toContain('zone')
})

const environment = () => ({ DAYBOOK_URL: client.url, DAYBOOK_API_KEY: client.key })

const zipped = (files: Files) =>
  zipOf(
    Object.entries(files).map(([name, content]) => ({
      name,
      content: typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    })),
  )

/** Writes an archive of these files. @returns its path */
function zip(name: string, files: Files): string {
  const path = join(folder, name)
  writeFileSync(path, zipped(files))
  return path
}

interface WholeAccount extends Required<Account> {
  readonly revised: number
}

async function importedFrom(path: string): Promise<WholeAccount> {
  const { stdout } = await runCli(['import', path, '--json'], environment())
  const { imported, revised, alreadyThere, failed, leftOut } = JSON.parse(stdout) as WholeAccount
  return { imported, revised, alreadyThere, failed, leftOut }
}

async function readHead(): Promise<number> {
  const { projections } = await client.data('{ projections { head } }')
  return Math.max(...(projections as { head: number }[]).map(({ head }) => head))
}

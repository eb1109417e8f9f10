import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { filesIn } from './formats/files-in.ts'
import { inputs, readForeign, useFolder, writeIn } from './testing/foreign-files.ts'
import { type ZipEntry, zipOf } from './testing/zip.ts'
import { unpack } from './unpack.ts'

const folder = useFolder()
const temporary = join(folder, 'temporary')
mkdirSync(temporary)
beforeEach(() => void vi.stubEnv('TMPDIR', temporary))
afterEach(() => {
  vi.unstubAllEnvs()
  expect(readdirSync(temporary), 'nothing stays').toEqual([])
})

const { signal } = new AbortController()

/** Writes an archive. @returns its path */
function archive(path: string, entries: readonly ZipEntry[], zip64 = false): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), zipOf(entries, zip64))
  return join(folder, path)
}

/** What an archive is unpacked to: the folder's name, the files by their paths, and what is left out. */
async function unpacked(path: string, ...limits: [{ bytes: number; entries: number }?]) {
  await using found = await unpack(path, signal, ...limits)
  const { files } = await filesIn(found.path)
  return {
    name: basename(found.path),
    files: Object.fromEntries(
      files.map((file) => [file.slice(found.path.length + 1), readFileSync(file, 'utf8')]),
    ),
    leftOut: found.leftOut.map((item) => [item.where, 'leftOut' in item && item.leftOut]),
  }
}

const note = { name: 'Ada.md', content: 'Keeps bees.' }

describe('an archive is unpacked as a person does it', () => {
  test('into a folder of its name that only its user may read', async () => {
    const path = archive('vault.ZIP', [
      note,
      { name: 'sub/', mode: 0o40755 },
      { name: 'sub/b.md', content: 'B' },
    ])
    expect(await unpacked(path)).toEqual({
      name: 'vault',
      files: { 'Ada.md': 'Keeps bees.', 'sub/b.md': 'B' },
      leftOut: [],
    })
    await using found = await unpack(path, signal)
    expect(statSync(dirname(found.path)).mode & 0o777).toBe(0o700)
  })

  test('the one folder in it, or the one file of JSON, is what is imported; a single note has its folder', async () => {
    const system = [{ name: '__MACOSX/My vault/._Ada.md', content: 'x' }, { name: '.DS_Store' }]
    const mine = archive('a.zip', [{ ...note, name: 'My vault/Ada.md' }, ...system])
    expect(await unpacked(mine)).toMatchObject({ name: 'My vault', files: { 'Ada.md': 'Keeps bees.' } })
    const hidden = archive('b.zip', [{ ...note, name: 'Notes/Ada.md' }, { name: '.obsidian/app.json' }])
    expect(await unpacked(hidden)).toMatchObject({ name: 'b', files: { 'Notes/Ada.md': 'Keeps bees.' } })
    await using graph = await unpack(archive('c.zip', [{ name: 'memory.jsonl', content: '{}' }]), signal)
    expect(basename(graph.path)).toBe('memory.jsonl')
    expect(await unpacked(archive('d.zip', [note]))).toMatchObject({
      name: 'd',
      files: { 'Ada.md': 'Keeps bees.' },
    })
  })

  test('archives in an archive or in a folder, and nothing else, become a folder each', async () => {
    const part = (name: string, entry: ZipEntry) => ({ name, content: zipOf([entry]) })
    const parts = [part('Part-1.zip', note), part('Part-2.zip', { name: 'b.md', content: 'B' })]
    const files = { 'Part-1/Ada.md': 'Keeps bees.', 'Part-2/b.md': 'B' }
    expect(await unpacked(archive('notion.zip', parts))).toEqual({ name: 'notion', files, leftOut: [] })
    for (const { name, content } of parts) writeFileSync(join(folder, name), content)
    mkdirSync(join(folder, 'several'))
    for (const { name, content } of parts) writeFileSync(join(folder, 'several', name), content)
    expect(await unpacked(join(folder, 'several'))).toEqual({ name: 'several', files, leftOut: [] })
    const attached = await unpacked(archive('e.zip', [...parts, note]))
    expect(Object.keys(attached.files)).toEqual(['Ada.md', 'Part-1.zip', 'Part-2.zip'])
  })

  test('of what no format reads only the name is taken', async () => {
    const path = archive('f.zip', [note, { name: 'a/photo.png', content: 'x'.repeat(10_000), flags: 1 }])
    expect(await unpacked(path)).toMatchObject({ files: { 'Ada.md': 'Keeps bees.', 'a/photo.png': '' } })
  })

  test.each([
    ['in UTF-8, marked', Buffer.from('Müller/é.md'), 0x800, 'Müller/é.md'],
    ['in UTF-8, unmarked', Buffer.from('Müller/é.md'), 0, 'Müller/é.md'],
    ['in CP437', Buffer.from([0x4d, 0x81, 0x6c, 0x6c, 0x65, 0x72, 0x2e, 0x6d, 0x64]), 0, 'Müller.md'],
    ['with backslashes', Buffer.from('Notes\\a.md'), 0, 'Notes/a.md'],
  ])('names %s are read', async (_, name, flags, expected) => {
    const { files } = await unpacked(archive('g.zip', [{ name, flags, content: 'x' }, note]))
    expect(Object.keys(files)).toContain(expected)
  })

  test('zip64, and files that are not compressed, are read', async () => {
    const entries = [note, { name: 'b.md', content: 'B', method: 0 }]
    const files = { 'Ada.md': 'Keeps bees.', 'b.md': 'B' }
    expect(await unpacked(archive('h.zip', entries, true))).toMatchObject({ files })
  })
})

describe('nothing from outside is believed', () => {
  test.each([
    ['../out.md', 'invalid relative path'],
    ['a/../../out.md', 'invalid relative path'],
    ['..\\out.md', 'invalid relative path'],
    ['/etc/out.md', 'absolute path'],
    ['C:\\out.md', 'absolute path'],
    ['\\\\server\\out.md', 'absolute path'],
    ['a\0.md', 'NUL in a name'],
  ])('a file named %j ends it', async (name, problem) => {
    const path = archive('out.zip', [note, { name, content: 'x' }])
    await expect(unpacked(path)).rejects.toThrow(`it holds a file that belongs elsewhere: ${problem}`)
    expect(existsSync(join(temporary, 'out.md')) || existsSync(join(folder, 'out.md'))).toBe(false)
  })

  test('links are not made, so that nothing is written through them', async () => {
    const link = { name: 'link', content: folder, mode: 0o120777 }
    const path = archive('i.zip', [
      link,
      { name: 'link/b.md', content: 'B' },
      { name: 'pipe', mode: 0o10644 },
    ])
    expect(await unpacked(path)).toMatchObject({
      files: { 'b.md': 'B' },
      leftOut: [
        ['link', 'symbolic links'],
        ['pipe', 'special files'],
      ],
    })
    expect(existsSync(join(folder, 'b.md'))).toBe(false)
  })

  test('of two files with one name the first stays; a name that cannot be is left out', async () => {
    const long = `${'x'.repeat(300)}.md`
    const others = ['Ada.md', 'Ada.md/b.md', 'sub/b.md', 'sub', long].map((name) => ({ name, content: 'x' }))
    expect(await unpacked(archive('j.zip', [note, ...others]))).toEqual({
      name: 'j',
      files: { 'Ada.md': 'Keeps bees.', 'sub/b.md': 'x' },
      leftOut: [
        ['Ada.md', 'files (same name twice)'],
        ['Ada.md/b.md', 'files (same name twice)'],
        ['sub', 'files (same name twice)'],
        [long, 'files (name too long)'],
      ],
    })
  })

  const large = { name: 'a.md', content: Buffer.alloc(2_000_000) }
  test.each([
    [
      'more bytes than may be',
      [large, note],
      { bytes: 1_000_000, entries: 9 },
      'it holds more than 1,000,000 bytes',
    ],
    ['more files than may be', [note, large], { bytes: 9, entries: 1 }, 'it holds more than 1 files'],
    ['more bytes than it says', [{ ...large, size: 9 }], undefined, 'too many bytes'],
    ['fewer bytes than it says', [{ ...note, size: 99 }], undefined, 'not enough bytes'],
    ['an encrypted file', [{ ...note, flags: 1 }], undefined, 'it is encrypted; unpack it yourself'],
    [
      'another compression',
      [{ ...note, method: 93 }],
      undefined,
      'compressed by method 93; unpack it yourself',
    ],
    ['a damaged file', [{ ...note, method: 0, checksum: 1 }], undefined, 'Ada.md is damaged in it'],
    [
      'a bomb in its archive',
      [{ name: 'b.zip', content: zipOf([large]) }],
      { bytes: 1_000_000, entries: 9 },
      'b.zip: it holds more than',
    ],
  ] as const)('%s ends it', async (_, entries, limits, problem) => {
    await expect(unpacked(archive('k.zip', entries), limits)).rejects.toThrow(problem)
  })

  const TORN = /End of central directory record|EOF|invalid|bytes in the stream|damaged|unexpected/u
  test('a torn archive ends it, wherever it is torn', async () => {
    const whole = zipOf([
      { ...note, content: Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * at) % 251)) },
    ])
    for (const length of [0, 10, 100, whole.length - 30, whole.length - 1]) {
      writeFileSync(join(folder, 'torn.zip'), whole.subarray(0, length))
      await expect(unpacked(join(folder, 'torn.zip')), `${length} bytes`).rejects.toThrow(TORN)
    }
    for (let at = 40; at < whole.length - 100; at += 97) {
      const damaged = Buffer.from(whole)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at)
      writeFileSync(join(folder, 'torn.zip'), damaged)
      await expect(unpacked(join(folder, 'torn.zip')), `byte ${at}`).rejects.toThrow(TORN)
    }
  })

  test('the signal ends it', async () => {
    await expect(unpack(archive('l.zip', [note]), AbortSignal.abort())).rejects.toThrow('abort')
  })
})

test('a note from an archive has the name that it has in the folder', async () => {
  const path = archive('same.zip', [note, { name: 'b.md', content: 'B' }])
  writeIn(folder, 'same/Ada.md', 'Keeps bees.')
  writeIn(folder, 'same/b.md', 'B')
  const { items } = await readForeign(join(folder, 'same'))
  await using found = await unpack(path, signal)
  expect(inputs((await readForeign(found.path)).items)).toEqual(inputs(items))
})

test('what is no archive is imported where it is', async () => {
  for (const path of [
    '-',
    writeIn(folder, 'plain/a.md', 'x'),
    join(folder, 'plain'),
    join(folder, 'nowhere.zip'),
  ])
    expect((await unpack(path, signal)).path).toBe(path)
})

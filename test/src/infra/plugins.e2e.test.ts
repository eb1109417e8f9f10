import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/* What can be checked of the plugins without the programs that load them. */

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const json = (path: string) => JSON.parse(readFileSync(root(path), 'utf8'))

describe.each([
  ['Claude Code', 'infra/plugins/claude-code', '.claude-plugin', 'CLAUDE_PLUGIN_ROOT', '.mcp.json'],
  ['Cursor', 'infra/plugins/cursor', '.cursor-plugin', 'CURSOR_PLUGIN_ROOT', 'mcp.json'],
])('the plugin of %s', (_, folder, manifest, variable, servers) => {
  test('is listed by the marketplace, under the name and version of its manifest', () => {
    const { plugins } = json(`${manifest}/marketplace.json`)
    expect(plugins).toHaveLength(1)
    expect(join(root('.'), plugins[0].source)).toBe(root(folder))
    const { name, version, license } = json(`${folder}/${manifest}/plugin.json`)
    expect(name).toBe(plugins[0].name)
    expect({ version, license }).toEqual({
      version: json('package.json').version,
      license: json('package.json').license,
    })
  })

  test('names only files that it has, by the variable of its program', () => {
    const texts = [servers, 'hooks/hooks.json'].map((file) => readFileSync(root(`${folder}/${file}`), 'utf8'))
    const named = texts.flatMap((text) => [...text.matchAll(/\$\{(?<name>\w+)\}\/(?<file>[\w./-]+)/gu)])
    expect(named.length).toBeGreaterThanOrEqual(3)
    for (const { groups } of named) {
      expect(groups?.['name']).toBe(variable)
      expect(existsSync(root(`${folder}/${groups?.['file']}`))).toBe(true)
    }
    const own = json(`${folder}/${manifest}/plugin.json`)
    for (const field of ['hooks', 'mcpServers', 'skills'])
      if (field in own) expect(existsSync(root(`${folder}/${own[field]}`))).toBe(true)
  })

  test('each skill says what it is for', () => {
    const skills = readdirSync(root(`${folder}/skills`))
    expect(skills).toEqual(['recall', 'remember'])
    for (const skill of skills)
      expect(readFileSync(root(`${folder}/skills/${skill}/SKILL.md`), 'utf8')).toMatch(
        new RegExp(`^---\\nname: ${skill}\\ndescription: .+\\n`, 'u'),
      )
  })
})

test('what both plugins have is the same', () => {
  for (const file of ['run.mjs', 'skills/recall/SKILL.md', 'skills/remember/SKILL.md'])
    expect(readFileSync(root(`infra/plugins/cursor/${file}`), 'utf8')).toBe(
      readFileSync(root(`infra/plugins/claude-code/${file}`), 'utf8'),
    )
})

describe('run.mjs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-plugin-'))
  beforeAll(() => {
    for (const name of ['daybook', 'npx'])
      writeProgram(join(folder, name, name), `#!/bin/sh\necho "${name} $*: $(cat)"\n`)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function run(path: readonly string[], ...args: string[]) {
    const PATH = [...path.map((name) => join(folder, name)), '/usr/bin', '/bin'].join(':')
    const child = spawn(process.execPath, [root('infra/plugins/claude-code/run.mjs'), ...args], {
      env: { PATH },
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (text) => (stdout += text))
    child.stderr.on('data', (text) => (stderr += text))
    child.stdin.end('{"cwd": "/"}')
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
  }

  test('runs the installed daybook, with the input of the hook', async () => {
    const said = { code: 0, stderr: '' }
    expect(await run(['daybook', 'npx'], 'hook', 'session-start')).toEqual({
      ...said,
      stdout: 'daybook hook session-start: {"cwd": "/"}\n',
    })
    expect(await run(['daybook'], 'mcp')).toMatchObject({
      ...said,
      stdout: expect.stringContaining('daybook mcp'),
    })
  })

  test('without one nothing is downloaded, and a hook never fails', async () => {
    const stderr = 'Daybook is not installed here: no "daybook" is in the PATH\n'
    expect(await run(['npx'], 'hook', 'session-end')).toEqual({ code: 0, stdout: '', stderr })
    expect(await run(['npx'], 'mcp')).toEqual({ code: 127, stdout: '', stderr })
  })
})

// Nobody owns Daybook's name in npm's registry yet: whoever took it would run code wherever such a line is used.
test('nothing that is shipped has a registry asked without a question', () => {
  const shipped = execFileSync(
    'git',
    ['ls-files', '-z', 'docs', 'examples', 'infra', 'services', 'scripts', 'libs', '*.md'],
    {
      cwd: root('.'),
      encoding: 'utf8',
    },
  )
  const asking = shipped
    .split('\0')
    .filter((file) => file !== '' && existsSync(root(file)))
    .filter((file) =>
      /npx (?:-y|--yes)|['"]npx['"], ?['"]-|npm i(?:nstall)? (?:-\S+ )*daybook(?![-\w])|"daybook": "[\d^~*]/u.test(
        readFileSync(root(file), 'utf8'),
      ),
    )
  expect(asking).toEqual([])
})

function writeProgram(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT } from '@daybook/cli/command-line'
import { COMMAND_GROUPS } from '@daybook/cli/commands'
import { newId } from '@daybook/memory/id'
import { runCli, startCli } from '../cli/run-cli.ts'
import { createRandom } from '../support/random.ts'
import { namesIn } from './leaks.ts'
import { COMMON, type Project } from './project.ts'
import { look, type Reader, type World } from './world.ts'

/** What a command line is made from. */
interface Given {
  readonly home: Project
  /** One that the key may not use. */
  readonly other: Project
  /** A memory of `other`. */
  readonly memory: string
  /** A folder that is deleted afterwards. */
  readonly folder: string
}

/** Each command as it would be used by somebody who looks for what is not theirs. */
const LINES: Readonly<Record<string, (given: Given) => readonly (readonly string[])[]>> = {
  remember: ({ home }) => [['note', `${COMMON.words.join(' ')} ${home.marker}`, '--context', COMMON.context]],
  index: ({ home, folder }) => {
    const file = join(folder, 'page.md')
    writeFileSync(file, `# ${COMMON.key}\n\n${home.marker}\n`)
    return [[file]]
  },
  revise: ({ memory, home }) => [[memory, `revised ${home.marker}`]],
  forget: ({ memory }) => [[memory]],
  restore: ({ memory }) => [[memory]],
  undo: ({ other }) => [['--since', '1d', '--actor', `key of ${other.name}`, '--dry-run']],
  erase: ({ memory }) => [[memory, '--yes']],
  todo: ({ memory }) => [['list'], ['done', memory]],
  session: ({ memory }) => [['list'], ['close', memory]],
  search: ({ home, other }) => [
    [...COMMON.words, '--projects', home.name],
    [...COMMON.words, '--project', other.name],
    [...COMMON.words, '--projects', `${home.name},${other.name}`],
  ],
  ask: () => [[...COMMON.words]],
  context: () => [[...COMMON.words]],
  similar: ({ memory }) => [[...COMMON.words], ['--id', memory]],
  recall: () => [[COMMON.key]],
  pop: () => [[COMMON.key]],
  get: ({ memory }) => [[memory], [memory.slice(0, -1)]],
  list: ({ other }) => [[], ['--project', other.id]],
  history: ({ memory }) => [[memory]],
  diff: ({ memory }) => [[memory, '1']],
  review: ({ memory, other }) => [[], ['settle', other.ids.memory[0] ?? memory, memory, '--as', 'forget']],
  facets: () => [[]],
  growth: () => [[]],
  map: () => [['--json'], ['--show', '--json']],
  people: () => [[], [COMMON.key]],
  emotions: () => [['--panic-attacks'], ['giraffe']],
  interests: () => [[]],
  events: () => [[]],
  tail: () => [['--after', '0']],
  import: ({ home, folder }) => {
    const file = join(folder, 'memories.jsonl')
    writeFileSync(file, `${JSON.stringify({ kind: 'note', text: `imported ${home.marker}` })}\n`)
    return [[file]]
  },
  export: ({ other, folder }) => [['--out', join(folder, 'out.jsonl'), '--project', other.name]],
  // The one that nobody serves; no key of a project may follow anything.
  follow: ({ other }) => [
    ['http://127.0.0.1:9', '--project', other.name, '--key', `dbk_${COMMON.key.replaceAll(' ', '')}`],
  ],
  sync: ({ other }) => [
    ['status'],
    ['pause', '--project', other.name],
    ['conflicts', '--project', other.id],
    ['resolve', newId(), '--mine', '--project', other.name],
    ['rule', 'ask', '--project', other.name],
    [
      'repoint',
      'http://127.0.0.1:9',
      '--project',
      other.name,
      '--key',
      `dbk_${COMMON.key.replaceAll(' ', '')}`,
    ],
    ['unfollow', '--yes', '--project', other.name],
    ['promote', '--yes', '--lost', '--project', other.id],
    ['followers'],
    ['followers', '--project', other.name],
  ],
  mcp: () => [['clients'], ['install', '--client', 'cursor', '--scope', 'project', '--dry-run']],
  hook: () => [['session-start', '--context', COMMON.context], ['session-end']],
  service: () => [['status']],
  status: () => [[]],
  doctor: () => [[]],
  verify: ({ other }) => [['pgvector', '--project', other.name]],
  reindex: () => [['pgvector']],
  replay: ({ other }) => [['--from', '1', '--project', other.name]],
  backfill: ({ other }) => [['pgvector', '--project', other.name]],
  language: ({ other }) => [[], ['german', '--project', other.name]],
  projects: ({ other }) => [
    ['list'],
    ['rename', other.id, `renamed ${newId()}`],
    ['delete', other.name, '--yes'],
    ['deleted'],
  ],
  quarantine: ({ other }) => [
    ['list'],
    ['add', other.ids.key.at(-1) ?? '', '--reason', COMMON.key, '--yes'],
    ['add', '--agent', COMMON.key, '--project', other.name, '--reason', COMMON.key, '--yes'],
  ],
  keys: ({ other }) => [
    ['list'],
    ['create', 'x', '--project', other.name],
    ['revoke', other.ids.key.at(-1) ?? '', '--yes'],
  ],
  parked: () => [['list']],
  operations: ({ other }) => [['list'], ['show', other.ids.operation.at(-1) ?? '']],
  completion: () => [['bash']],
  console: ({ other }) => [['--print'], ['--print', '--project', other.name]],
  // It reads no memory, and would leave a daemon behind.
  start: () => [],
  stop: () => [[]],
}

/** The commands that nothing here starts. */
export function undrivenCommands(): string[] {
  const names = COMMAND_GROUPS.flatMap(({ commands }) => commands.map(({ name }) => name))
  return names.filter((name) => !(name in LINES))
}

/** Runs some command lines, the seed decides which, and looks at all that they print. */
export async function runCommands(world: World, seed: number, most: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-isolation-'))
  const random = createRandom(seed)
  const reader = world.readers[0] as Reader
  const other = world.projects.find((one) => !reader.readable.includes(one)) as Project
  const given = { home: reader.home, other, memory: other.ids.memory.at(-1) ?? '', folder }
  try {
    const lines = Object.entries(LINES).flatMap(([name, make]) =>
      make(given).map((rest) => [name, ...rest, ...(random.chance(0.5) ? ['--json'] : [])]),
    )
    const chosen = lines
      .map((line) => ({ line, at: random.next() }))
      .toSorted((one, next) => one.at - next.at)
      .slice(0, most)
    // Each is a process, so two at a time.
    const waiting = [['search', ...COMMON.words], ...chosen.map(({ line }) => line)]
    const printed: string[] = []
    await Promise.all([1, 2].map(() => runEach(world, reader, folder, waiting, printed)))
    // Else the commands did not reach the gateway, and had nothing to leak.
    if (!printed.some((text) => text.includes(reader.home.marker)))
      throw new Error(`no command found anything:\n${printed.join('\n').slice(0, 2_000)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How long a command that does not end by itself runs, in milliseconds. */
const FOLLOWING_MS = 3_000

async function runEach(
  world: World,
  reader: Reader,
  folder: string,
  waiting: (readonly string[])[],
  printed: string[],
): Promise<void> {
  const environment = { DAYBOOK_URL: reader.url, DAYBOOK_API_KEY: reader.key, DAYBOOK_DATA_DIR: folder }
  for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
    // A project may put any key into quarantine, and its list shows the id that it sent.
    if (line[0] === 'quarantine')
      for (const name of namesIn(line.join(' '))) world.stored.get(reader.home.id)?.add(name)
    const run = line[0] === 'tail' ? followed(line, environment) : runCli(line, environment)
    const { stdout, stderr, exitCode } = await run
    if (exitCode === EXIT.usage) throw new Error(`the test misuses "daybook ${line.join(' ')}": ${stderr}`)
    printed.push(`${stdout}\n${stderr}`)
    look(world, reader, `daybook ${line.join(' ')}`, `${stdout}\n${stderr}`)
  }
}

async function followed(line: readonly string[], environment: Readonly<Record<string, string>>) {
  const cli = startCli(line, environment)
  const timer = setTimeout(() => cli.process.kill('SIGINT'), FOLLOWING_MS)
  return cli.ended.finally(() => clearTimeout(timer))
}

import { createProgram, loadCommands } from '@daybook/cli/program'
import { createClient } from '@daybook/client/create-client'
import { TOOLS } from '@daybook/mcp/tools/index'
import { SETTINGS } from '@daybook/runtime/settings'
import { describeSettings } from '@daybook/runtime/settings/setting'
import { runCli } from '../cli/run-cli.ts'
import type { ToldMemory } from './released.ts'

/** What may be called or set, by name, with the names of what it takes: options, arguments, parameters. */
export type Surface = Readonly<Record<string, Parts>>

interface Parts {
  readonly needed: readonly string[]
  readonly optional: readonly string[]
}

type Command = ReturnType<typeof createProgram>

/** What this version takes from people, agents and programs, except through GraphQL, which has a schema. */
export async function presentSurface(): Promise<Surface> {
  const program = createProgram()
  await loadCommands(program)
  const tools = TOOLS.map(({ name, input }) =>
    partsOf(
      `tool ${name}`,
      Object.entries(input.shape).map(([argument, schema]) => [argument, schema.isOptional()] as const),
    ),
  )
  const settings = describeSettings(SETTINGS).map(({ name }) => [name, true] as const)
  const client = Object.keys(createClient({ url: 'http://127.0.0.1:4000', apiKey: 'dbk_none' }))
  return Object.fromEntries([
    partsOf('settings', settings),
    partsOf(
      'client',
      client.map((name) => [name, true] as const),
    ),
    ...tools,
    ...partsOfCommand('daybook', program),
  ])
}

/** `--limit <>`: whether it takes a value, whatever that is called. */
const nameOf = ({ long, short, required, optional }: Command['options'][number]): string =>
  `${long ?? short}${required ? ' <>' : optional ? ' []' : ''}`

const partsOfCommand = (name: string, command: Command): [string, Parts][] => [
  partsOf(name, [
    ...command.registeredArguments.map((one) => [one.name(), !one.required] as const),
    ...command.options.map((one) => [nameOf(one), !one.mandatory] as const),
  ]),
  ...command.commands.flatMap((one) => partsOfCommand(`${name} ${one.name()}`, one)),
]

function partsOf(name: string, parts: readonly (readonly [string, boolean])[]): [string, Parts] {
  const named = (wanted: boolean) =>
    parts.flatMap(([part, isOptional]) => (isOptional === wanted ? [part] : [])).toSorted()
  return [name, { needed: named(false), optional: named(true) }]
}

/** What a later version takes away from those who rely on an earlier one, in words. */
export function brokenSurface(earlier: Surface, later: Surface): string[] {
  return Object.entries(earlier).flatMap(([name, before]) => {
    const now = later[name]
    if (now === undefined) return [`${name} is gone`]
    const taken = new Set([...now.needed, ...now.optional])
    return [
      ...[...before.needed, ...before.optional]
        .filter((part) => !taken.has(part))
        .map((part) => `${name}: ${part} is gone`),
      ...now.needed
        .filter((part) => !before.needed.includes(part))
        .map((part) => `${name}: ${part} must be given now`),
    ]
  })
}

/** The types of each field of an answer, by its path: `hits[].score` is `['number']`. */
export type Shape = Readonly<Record<string, readonly string[]>>

/** The fields of what commands print with `--json` of these memories, by the command. */
export async function jsonShapes(
  environment: Readonly<Record<string, string>>,
  [told]: readonly ToldMemory[],
): Promise<Record<string, Shape>> {
  if (told === undefined) throw new Error('there is no memory')
  const asked = [
    ['status'],
    ['search', told.text],
    ['context', told.text],
    ['list'],
    ['get', told.id],
    ['history', told.id],
    ['facets'],
    ['growth'],
    ['todo'],
    ['people'],
    ['projects'],
  ]
  const shapes: [string, Shape][] = []
  for (const args of asked) {
    const { exitCode, stdout, stderr } = await runCli([...args, '--json'], environment)
    if (exitCode !== 0) throw new Error(`daybook ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
    shapes.push([args[0] ?? '', shapeOf(JSON.parse(stdout))])
  }
  return Object.fromEntries(shapes)
}

/** @param answer as JSON gives it */
export function shapeOf(answer: unknown): Shape {
  const types = new Map<string, Set<string>>()
  const note = (path: string, value: unknown): void => {
    const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
    types.set(path, (types.get(path) ?? new Set()).add(type))
    if (Array.isArray(value)) for (const one of value) note(`${path}[]`, one)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) note(path === '' ? key : `${path}.${key}`, one)
  }
  note('', answer)
  return Object.fromEntries([...types].map(([path, all]) => [path, [...all].toSorted()]))
}

/** The fields that are gone, or of another type. One that is null now may be what it was at another time. */
export function brokenShape(earlier: Shape, later: Shape): string[] {
  return Object.entries(earlier).flatMap(([path, before]) => {
    const now = later[path]
    // What an empty list would hold is not known.
    const list = path.slice(0, path.lastIndexOf('[]'))
    if (now === undefined && list !== '' && later[list]?.includes('list') && !(`${list}[]` in later))
      return []
    if (now === undefined) return [`${path} is gone`]
    const others = now.filter((type) => type !== 'null' && !before.includes(type))
    return others.length > 0 && !before.every((type) => type === 'null')
      ? [`${path} is ${others.join(' or ')}, not ${before.join(' or ')}`]
      : []
  })
}

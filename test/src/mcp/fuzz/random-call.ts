import { TOOLS } from '@daybook/mcp/tools/index'
import type { Tool } from '@daybook/mcp/tools/tool'
import type { Random } from '../../support/random.ts'
import { strangeValue } from './strange-values.ts'

/** A call of a tool, and what it would write. */
export interface RandomCall {
  readonly name: string
  readonly arguments: Record<string, unknown>
  /** Null if there is no such tool. */
  readonly tool: Tool | null
  /** In the metadata of each memory that it writes, in order. No other call has them. */
  readonly marks: readonly string[]
  /** Whether the same call again is promised to write nothing. */
  readonly repeatable: boolean
}

/** What calls are made of. */
export interface CallWorld {
  readonly random: Random
  /** Ids of memories: the client's own, unknown ones, those of others. */
  readonly ids: readonly string[]
  /** Names and ids of projects. */
  readonly projects: readonly string[]
  /** In every text that the client writes. */
  readonly marker: string
  newMark(): string
}

/** How many of the calls are changed at one place. */
const STRANGE = 0.5

/** Draws a call: the example of a tool with other ids and texts, half of them with something strange in one place. */
export function randomCall(world: CallWorld): RandomCall {
  const { random } = world
  const tool = random.oneOf(TOOLS)
  if (random.chance(0.01))
    return { name: 'no_such_tool', arguments: {}, tool: null, marks: [], repeatable: false }
  const written = tool.name === 'remember' ? remembering(world) : revising(world, tool)
  const given = written?.given ?? (structuredClone(example(world, tool)) as Record<string, unknown>)
  if (random.chance(STRANGE)) makeStrange(random, given, Object.keys(tool.input.shape))
  // What an undo takes back is not what its client wrote.
  if (tool.name === 'undo') given['dryRun'] = true
  const key = given['idempotencyKey']
  return {
    name: tool.name,
    arguments: given,
    tool,
    marks: written?.marks ?? [],
    repeatable: typeof key === 'string' && key !== '',
  }
}

const example = ({ random, ids, projects }: CallWorld, tool: Tool): object => {
  const [memoryId, todoId, forgottenId] = [random.oneOf(ids), random.oneOf(ids), random.oneOf(ids)]
  const given = tool.example({
    memoryId,
    todoId,
    forgottenId,
    since: new Date(Date.now() - 60_000).toISOString(),
  })
  return tool.name === 'search' && random.chance(0.2)
    ? { ...given, projects: [random.oneOf(projects)] }
    : given
}

interface Written {
  readonly given: Record<string, unknown>
  readonly marks: readonly string[]
}

function remembering({ random, marker, newMark }: CallWorld): Written {
  const marks = Array.from({ length: random.oneOf([1, 1, 2, 5]) }, newMark)
  const memories = marks.map((mark) => {
    const text = `${mark} ${marker} about tokens and keys`
    const content = random.oneOf([
      { kind: 'note', fields: { text } },
      { kind: 'todo', fields: { description: text } },
      { kind: 'insight', fields: { key: `${marker}-${random.between(1, 20)}`, content: text } },
      { kind: 'entity', fields: { name: `${marker} ${random.between(1, 20)}`, type: 'person' } },
    ])
    return { ...content, labels: [`${marker}-label`], categories: ['person'], metadata: { mark } }
  })
  const key = random.chance(0.5) ? { idempotencyKey: `key-${marks[0]}` } : {}
  return { given: { memories, ...key }, marks }
}

function revising({ random, ids, newMark }: CallWorld, { name }: Tool): Written | null {
  if (name !== 'revise') return null
  const marks = Array.from({ length: random.between(1, 3) }, newMark)
  const changes = marks.map((mark) => ({
    id: random.oneOf(ids),
    metadata: { mark },
    importance: random.between(0, 10),
  }))
  const key = random.chance(0.5) ? { idempotencyKey: `key-${marks[0]}` } : {}
  return { given: { changes, ...key }, marks }
}

/** Puts something strange at one place, or adds an argument. */
function makeStrange(random: Random, given: Record<string, unknown>, known: readonly string[]): void {
  if (known.length === 0 || random.chance(0.1)) {
    given[random.oneOf(['unknown', 'Query', 'ids', '__proto__x'])] = strangeValue(random)
    return
  }
  let [place, name]: [Record<string, unknown>, string] = [given, random.oneOf(known)]
  while (random.chance(0.7)) {
    const inner = place[name]
    if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) break
    place = inner as Record<string, unknown>
    name = random.oneOf(Object.keys(inner))
  }
  place[name] = strangeValue(random)
}

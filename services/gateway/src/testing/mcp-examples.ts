import { TOOLS } from '@daybook/mcp/tools/index'
import type { ExampleWorld, Tool } from '@daybook/mcp/tools/tool'

/** What a tool answers, as each client of MCP gives it. */
export interface ToolAnswer {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

/** Calls a tool. */
export type CallTool = (name: string, given: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>

/** Stores what the examples of the tools refer to, with the tools themselves. @throws Error if a tool refuses it */
export async function prepareExamples(call: CallTool): Promise<ExampleWorld> {
  const since = new Date().toISOString()
  const written = async (name: string, given: Readonly<Record<string, unknown>>) => {
    const answer = await call(name, given)
    if (answer.isError === true) throw new Error(`${name}: ${textOf(answer)}`)
    return answer.structuredContent?.['results'] as readonly { readonly id: string }[]
  }
  const [memory, todo, forgotten] = await written('remember', {
    memories: [
      {
        kind: 'insight',
        fields: { key: 'jwt-validation', content: 'Validate JWT expiry first' },
        context: 'shop',
      },
      { kind: 'todo', fields: { description: 'Rotate the signing keys' } },
      { kind: 'note', fields: { text: 'To be forgotten' } },
      { kind: 'stash', fields: { name: 'auth-refactor', summary: 'Half of the token checks are moved' } },
      { kind: 'entity', fields: { name: 'Ada Lovelace', type: 'person' }, categories: ['person'] },
      { kind: 'note', fields: { text: 'Ada was full of joy' }, categories: ['emotion'] },
    ],
  })
  const world = {
    memoryId: memory?.id ?? '',
    todoId: todo?.id ?? '',
    forgottenId: forgotten?.id ?? '',
    since,
  }
  await written('revise', { changes: [{ id: world.memoryId, fields: { content: 'Validate JWT expiry' } }] })
  await written('forget', { ids: [world.forgottenId] })
  return world
}

/** Calls each tool with its example, in order. @returns what is wrong, in words */
export async function callExamples(
  call: CallTool,
  world: ExampleWorld,
  tools: readonly Tool[] = TOOLS,
): Promise<string[]> {
  const faults: string[] = []
  for (const { name, example, output } of tools) {
    const answer = await call(name, example(world) as Readonly<Record<string, unknown>>)
    if (answer.isError === true) faults.push(`${name} was refused: ${textOf(answer)}`)
    else if (textOf(answer) === '') faults.push(`${name} has no text`)
    const { success, error } = output.safeParse(answer.structuredContent)
    if (!success) faults.push(`${name} does not fit its schema: ${error.message}`)
    // The others need it.
    if (name === 'forget') await call('restore', { id: world.memoryId })
  }
  return faults
}

const textOf = ({ content: [first] }: ToolAnswer): string => first?.text ?? ''

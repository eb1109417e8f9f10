import { PROMPTS } from '@daybook/mcp/prompts/index'
import { RESOURCES } from '@daybook/mcp/resources/index'
import type { Client } from '@modelcontextprotocol/client'
import type { Random } from '../../support/random.ts'
import { strangeText } from './strange-values.ts'

/** A read of a resource or a prompt, in words, and how to do it. */
export interface RandomRead {
  readonly what: string
  do(client: Client): Promise<unknown>
}

/** Draws an address or a prompt, half of them strange. */
export function randomRead(random: Random, ids: readonly string[]): RandomRead {
  const strange = () => strangeText(random)
  if (random.chance(0.3)) {
    const { name } = random.oneOf(PROMPTS)
    const text = random.chance(0.5) ? strange() : 'tokens'
    const given = { name, arguments: random.chance(0.3) ? {} : { task: text, summary: text } }
    return { what: `prompt ${JSON.stringify(given)}`, do: (client) => client.getPrompt(given) }
  }
  const uri = random.oneOf([
    () => random.oneOf(RESOURCES).uri,
    () => `daybook://memory/${encodeURIComponent(random.oneOf(ids))}`,
    () => `daybook://memory/${strange()}`,
    () => strange(),
  ])()
  return { what: `resource ${uri}`, do: (client) => client.readResource({ uri }) }
}

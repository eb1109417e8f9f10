// A memory server of the Model Context Protocol for tests: finds what holds a word of the query, most words first.
import { createInterface } from 'node:readline'

const memories = []
const tools = {
  add({ items }) {
    memories.push(...items)
    return { added: items.length }
  },
  find({ query, count }) {
    const words = query.toLowerCase().match(/\w+/gu) ?? []
    const matches = ({ text }) => words.filter((word) => text.toLowerCase().includes(word)).length
    const found = memories.filter((memory) => matches(memory) > 0)
    return found.toSorted((a, b) => matches(b) - matches(a)).slice(0, count)
  },
}

console.log('this server talks too much')
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  if (method === 'tools/call' && params.name === 'leave') process.exit(3)
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) }))
}

function answer(method, params) {
  if (method === 'initialize')
    return { result: { protocolVersion: params.protocolVersion, capabilities: {} } }
  if (method !== 'tools/call') return { error: { code: -32601, message: `no method ${method}` } }
  const tool = tools[params.name]
  if (tool === undefined)
    return { result: { isError: true, content: [{ type: 'text', text: 'no such tool' }] } }
  return { result: { content: [{ type: 'text', text: JSON.stringify(tool(params.arguments)) }] } }
}

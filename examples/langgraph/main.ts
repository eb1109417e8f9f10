import { Annotation, type LangGraphRunnableConfig, StateGraph } from '@langchain/langgraph'
import { createClient } from 'daybook/client'
import { createDaybookStore } from 'daybook/client/langgraph'

const State = Annotation.Root({
  user: Annotation<string>(),
  said: Annotation<string>(),
  known: Annotation<string[]>(),
})

/** Finds what is known of the user that matters for what was said, then remembers what was said. */
async function remember({ user, said }: typeof State.State, { store }: LangGraphRunnableConfig) {
  const namespace = ['users', user]
  const found = (await store?.search(namespace, { query: said, limit: 3 })) ?? []
  await store?.put(namespace, crypto.randomUUID(), { text: said })
  return { known: found.map(({ value }) => String(value['text'])) }
}

const client = createClient({
  url: process.env['DAYBOOK_URL'] ?? 'http://127.0.0.1:4000',
  apiKey: process.env['DAYBOOK_API_KEY'] ?? '',
})
// A real graph would ask a model beside it.
const graph = new StateGraph(State)
  .addNode('remember', remember)
  .addEdge('__start__', 'remember')
  .compile({ store: createDaybookStore(client) })

// What the store holds outlives this process: a second run knows more.
await graph.invoke({ user: 'kai', said: 'I take green tea, and no coffee' })
const { known } = await graph.invoke({ user: 'kai', said: 'Which drinks shall we order?' })
console.log('known of kai:', known)

import type { DaybookClient } from '@daybook/client'
import { createDaybookStore } from '@daybook/client/langgraph'
import { Annotation, type LangGraphRunnableConfig, StateGraph } from '@langchain/langgraph'

const State = Annotation.Root({
  user: Annotation<string>(),
  said: Annotation<string>(),
  known: Annotation<string[]>(),
})

/** Finds what is known of the user that matters for what was said, then remembers what was said. */
async function remember(
  { user, said }: typeof State.State,
  { store }: LangGraphRunnableConfig,
): Promise<Partial<typeof State.State>> {
  const namespace = ['users', user]
  const found = (await store?.search(namespace, { query: said, limit: 3 })) ?? []
  await store?.put(namespace, crypto.randomUUID(), { text: said })
  return { known: found.map(({ value }) => String(value['text'])) }
}

/** A graph with one node that remembers across its runs, and across processes. A real one would ask a model beside it. */
export const createGraph = (client: DaybookClient) =>
  new StateGraph(State)
    .addNode('remember', remember)
    .addEdge('__start__', 'remember')
    .compile({ store: createDaybookStore(client) })

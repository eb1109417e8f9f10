import { pause } from '@daybook/runtime/backoff'
import type { TestDaemon } from '../src/support/daemon.ts'
import { dataOf } from '../src/support/graphql.ts'
import { createRandom } from '../src/support/random.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

const A_CALL = 100
const REMEMBER = `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }`
const WAITING = '{ projections { lag pendingEmbeddings } }'

/** Remembers generated notes, and waits until each has its vector. */
export async function fillDaemon(daemon: TestDaemon, memories: number): Promise<void> {
  const random = createRandom(1)
  const word = createVocabulary(random, 5_000)
  for (let from = 0; from < memories; from += A_CALL) {
    const inputs = Array.from({ length: A_CALL }, () => ({
      content: { note: { text: sentence(random, word, 8, 24) } },
    }))
    dataOf(await daemon.graphql({ query: REMEMBER, variables: { inputs } }))
  }
  for (;;) {
    const { projections } = dataOf(
      await daemon.graphql<{ projections: { lag: number; pendingEmbeddings: number }[] }>({ query: WAITING }),
    )
    if (projections.every(({ lag, pendingEmbeddings }) => lag === 0 && pendingEmbeddings === 0)) return
    await pause(1_000)
  }
}

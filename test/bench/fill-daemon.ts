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
  await untilProjected(daemon)
}

/** Waits until everything is projected, and has its vectors, which an embedder makes unless the daemon has none. */
export async function untilProjected(daemon: TestDaemon, embeds = true): Promise<void> {
  for (;;) {
    const { projections } = dataOf(
      await daemon.graphql<{ projections: { lag: number; pendingEmbeddings: number }[] }>({ query: WAITING }),
    )
    if (projections.every(({ lag, pendingEmbeddings }) => lag === 0 && (!embeds || pendingEmbeddings === 0)))
      return
    await pause(1_000)
  }
}

import { useState } from 'preact/hooks'
import { readNeighbours, readSimilar } from '../api/beside.ts'
import type { WholeMemory } from '../api/memory.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { MemoryFacts } from '../components/memory-facts.tsx'
import { useLatest } from '../components/use-latest.ts'

/** What stands beside a memory: in its context, and in meaning. */
export function Beside({ memory }: { readonly memory: WholeMemory }) {
  return (
    <>
      {memory.context !== null && <Neighbours memory={memory} context={memory.context} />}
      <Similar memory={memory} />
    </>
  )
}

/** What is asked again when the memory has changed. */
const keyOf = ({ id, version }: WholeMemory) => `${id} ${version}`

function Neighbours({ memory, context }: { readonly memory: WholeMemory; readonly context: string }) {
  const [again, setAgain] = useState(0)
  const { answer, error } = useLatest(keyOf(memory), (signal) => readNeighbours(memory.id, signal), again)
  return (
    <section class="card">
      <h2>Around it in {context}</h2>
      {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
      {answer === null && error === null && <p class="muted">Loading …</p>}
      {answer !== null && answer.before.length + answer.after.length === 0 && (
        <p class="muted">It is the only {memory.kind.toLowerCase()} there.</p>
      )}
      {answer !== null && answer.before.length + answer.after.length > 0 && (
        <ol class="beside-list">
          {answer.before.toReversed().map((one) => (
            <li key={one.id}>
              <MemoryFacts memory={one} />
            </li>
          ))}
          <li class="beside-this" aria-current="true">
            this one
          </li>
          {answer.after.map((one) => (
            <li key={one.id}>
              <MemoryFacts memory={one} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Similar({ memory }: { readonly memory: WholeMemory }) {
  const [again, setAgain] = useState(0)
  const { answer, error } = useLatest(keyOf(memory), (signal) => readSimilar(memory.id, signal), again)
  return (
    <section class="card">
      <h2>Similar in meaning</h2>
      {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
      {answer === null && error === null && <p class="muted">Loading …</p>}
      {answer?.degraded.map((sentence) => (
        <p key={sentence} class="small muted">
          {sentence}
        </p>
      ))}
      {answer !== null && answer.hits.length === 0 && (
        <p class="muted">{answer.message ?? 'Nothing is similar to it.'}</p>
      )}
      {answer !== null && answer.hits.length > 0 && (
        <ol class="beside-list">
          {answer.hits.map(({ memory: one, score }) => (
            <li key={one.id}>
              <MemoryFacts memory={one} besides={`cosine ${score.toFixed(2)}`} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

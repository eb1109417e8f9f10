import { useEffect, useState } from 'preact/hooks'
import { ErrorNotice } from '../components/error-notice.tsx'
import { navigate } from '../router/location.ts'
import { addExamples, countExamples, removeExamples } from './example-memories.ts'
import { EXAMPLES, EXAMPLES_CONTEXT } from './examples.ts'

/** Adds example memories, or removes them again: one press each. */
export function ExampleMemories({ canWrite }: { readonly canWrite: boolean }) {
  const [count, setCount] = useState<number | null>(null)
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState('')
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => {
    countExamples().then(setCount, setFailure)
  }, [])
  const run = async (work: () => Promise<void>, words: string) => {
    setBusy(true)
    setFailure(null)
    try {
      await work()
      setCount(await countExamples())
      setSaid(words)
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }
  const add = () =>
    void run(async () => {
      await addExamples()
      navigate(`/${keptProject()}`)
    }, `${EXAMPLES.length} example memories were added.`)
  const remove = () => void run(removeExamples, 'The example memories are gone.')
  return (
    <div class="first-run-way">
      <h2>Try it with examples</h2>
      <p>
        {EXAMPLES.length} small memories in the context <code>{EXAMPLES_CONTEXT}</code>. One press removes
        them again.
      </p>
      {failure !== null && <ErrorNotice error={failure} />}
      {!canWrite && <p class="notice">This key may only read: to add examples it needs the scope WRITE.</p>}
      {count === 0 && (
        <button type="button" class="primary" disabled={busy || !canWrite} onClick={add}>
          Add example memories
        </button>
      )}
      {count !== null && count > 0 && (
        <button type="button" disabled={busy || !canWrite} onClick={remove}>
          Remove the {count} example memories
        </button>
      )}
      <p role="status" class="small muted">
        {busy ? 'Working …' : said}
      </p>
    </div>
  )
}

function keptProject(): string {
  const project = new URLSearchParams(location.search).get('project')
  return project === null ? '' : `?project=${encodeURIComponent(project)}`
}

import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../api/session.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Copyable } from '../components/field.tsx'
import { navigate } from '../router/location.ts'
import { MCP_CLIENTS, mcpLine, otherLines } from './commands.ts'
import { addExamples, countExamples, EXAMPLES, EXAMPLES_CONTEXT, removeExamples } from './examples.ts'

/** What to do with a Daybook that holds nothing yet. */
export default function FirstRun({ session }: { readonly session: Session }) {
  const [client, setClient] = useState<string>(MCP_CLIENTS[0])
  const install = mcpLine(client)
  return (
    <section class="first-run" aria-labelledby="first-run">
      <h2 id="first-run">Give an agent this memory</h2>
      <p>
        Connect the program that your agent runs in. It then remembers by itself what it learns, and finds it
        again.
      </p>
      <label>
        Program{' '}
        <select value={client} onChange={(event) => setClient(event.currentTarget.value)}>
          {MCP_CLIENTS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Copyable label={install.label} text={install.line} />
      <h2>Or write something down yourself</h2>
      {otherLines(location.origin).map(({ label, line }) => (
        <div key={label} class="first-run-way">
          <h3>{label}</h3>
          <Copyable label={label} text={line} />
        </div>
      ))}
      <ExampleMemories canWrite={session.scopes.includes('write')} />
    </section>
  )
}

/** Adds example memories, or removes them again: one press each. */
function ExampleMemories({ canWrite }: { readonly canWrite: boolean }) {
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

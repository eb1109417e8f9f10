import { useState } from 'preact/hooks'
import type { Session } from '../api/session.ts'
import { Copyable } from '../components/copyable.tsx'
import { MCP_CLIENTS, mcpLine, otherLines } from './commands.ts'
import { ExampleMemories } from './example-choice.tsx'

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

import { Ago } from './ago.tsx'
import { memoryAddress } from './memory-address.ts'
import { NotShared } from './not-shared.tsx'

/** A memory as lists name it. */
interface NamedMemory {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly agent: string | null
  readonly context: string | null
  readonly occurredAt: string | null
  readonly createdAt: string
  readonly shared: boolean
}

/** A memory's title, which leads to its page, and what is known of it, in two lines. */
export function MemoryFacts({
  memory: { id, kind, title, agent, context, occurredAt, createdAt, shared },
  besides,
}: {
  readonly memory: NamedMemory
  /** What else there is to say, such as how near it is. */
  readonly besides?: string
}) {
  return (
    <>
      <a class="memory-title" href={memoryAddress(id)}>
        {title}
      </a>
      <p class="small muted hit-facts">
        <span class="tag">{kind.toLowerCase()}</span>
        <Ago moment={occurredAt ?? createdAt} />
        {context !== null && <span>in {context}</span>}
        {agent !== null && <span>by {agent}</span>}
        {!shared && <NotShared />}
        {besides !== undefined && <span>{besides}</span>}
      </p>
    </>
  )
}

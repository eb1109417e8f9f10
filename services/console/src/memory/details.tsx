import type { ComponentChildren } from 'preact'
import type { WholeMemory, Writer } from '../api/memory.ts'
import { Ago, formatMoment } from '../components/ago.tsx'
import { memoryAddress } from '../components/memory-address.ts'
import { pageAddress } from '../components/page-address.ts'

/** Everything about a memory besides what it says: labels, metadata, times, who wrote it and how far that is trusted. */
export function Details({ memory }: { readonly memory: WholeMemory }) {
  const { labels, categories, context, agent, importance, metadata, occurredAt, trust } = memory
  const hasMetadata = Object.keys(metadata).length > 0
  return (
    <section class="card">
      <h2>Details</h2>
      <dl class="facts">
        {labels.length > 0 && <Fact name="Labels" value={<Tags param="label" values={labels} />} />}
        {categories.length > 0 && (
          <Fact name="Categories" value={<Tags param="category" values={categories} />} />
        )}
        {context !== null && <Fact name="Context" value={<Tags param="context" values={[context]} />} />}
        {agent !== null && <Fact name="Agent" value={<Tags param="agent" values={[agent]} />} />}
        <Fact name="Importance" value={`${importance} of 10`} />
        <Fact name="Trust" value={trust.toLowerCase()} />
        {memory.writtenBy !== null && <Fact name="Written by" value={<By writer={memory.writtenBy} />} />}
        {memory.editedBy !== null && <Fact name="Edited by" value={<By writer={memory.editedBy} />} />}
        {occurredAt !== null && <Fact name="Happened" value={formatMoment(occurredAt)} />}
        <Fact name="Remembered" value={formatMoment(memory.createdAt)} />
        {memory.updatedAt !== memory.createdAt && (
          <Fact name="Changed" value={formatMoment(memory.updatedAt)} />
        )}
        <Fact name="Read" value={<Reads memory={memory} />} />
        {memory.supersedes !== null && (
          <Fact
            name="Supersedes"
            value={<a href={memoryAddress(memory.supersedes.id)}>{memory.supersedes.title}</a>}
          />
        )}
        {memory.part !== null && <Fact name="Part" value={<Part part={memory.part} />} />}
        <Fact name="Id" value={<code>{memory.id}</code>} />
      </dl>
      {hasMetadata && (
        <>
          <h3 class="field-name">Metadata</h3>
          <pre class="metadata" tabIndex={0} aria-label="Metadata">
            {JSON.stringify(metadata, null, 2)}
          </pre>
        </>
      )}
    </section>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** Each leads to the search for what has it too. */
function Tags({ param, values }: { readonly param: string; readonly values: readonly string[] }) {
  return (
    <span class="tags">
      {values.map((value) => (
        <a key={value} class="tag" href={pageAddress('/', { [param]: value })}>
          {value}
        </a>
      ))}
    </span>
  )
}

function By({ writer: { agent, client, keyId, trust } }: { readonly writer: Writer }) {
  return (
    <>
      {agent ?? client ?? 'a key'}
      {agent !== null && client !== null && <span class="muted"> with {client}</span>}
      <span class="muted">
        , {trust.toLowerCase()} trust, key <code title={keyId}>{keyId.slice(-8)}</code>
      </span>
    </>
  )
}

function Reads({ memory: { accessCount, accessedAt } }: { readonly memory: WholeMemory }) {
  if (accessedAt === null) return <>never yet</>
  return (
    <>
      {accessCount === 1 ? 'once' : `${accessCount.toLocaleString()} times`}, last <Ago moment={accessedAt} />
    </>
  )
}

function Part({ part: { number, parts, document } }: { readonly part: NonNullable<WholeMemory['part']> }) {
  return (
    <>
      {number.toLocaleString()} of {parts.length.toLocaleString()}
      {document !== null && (
        <>
          {' '}
          of <a href={memoryAddress(document.id)}>{document.title}</a>
        </>
      )}
    </>
  )
}

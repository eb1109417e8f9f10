import type { ErasedMemory } from '../api/change-memory.ts'
import { pageAddress } from '../components/page-address.ts'

/** What an erasure came to, with its receipt. */
export function ErasedNotice({
  erased: { contents, sequence, behind, outOfReach },
}: {
  readonly erased: ErasedMemory
}) {
  return (
    <div class="page">
      <div class="notice" role="status">
        <h1>The memory is erased</h1>
        <p>
          {contents === 1 ? 'One version' : `${contents.toLocaleString()} versions`} lost what{' '}
          {contents === 1 ? 'it' : 'they'} said, for good. The receipt is the event{' '}
          {sequence.toLocaleString()} of the journal, which says who erased it and when, and nothing else.
        </p>
        {behind !== null && <p class="muted">{behind}</p>}
        {outOfReach.length > 0 && (
          <>
            <p>Copies may be where Daybook cannot reach them:</p>
            <ul class="memory-list">
              {outOfReach.map((place) => (
                <li key={place}>{place}</li>
              ))}
            </ul>
          </>
        )}
        <a href={pageAddress('/')}>Back to the search</a>
      </div>
    </div>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Counts } from '../api/search.ts'
import { isTyping, moveInList } from '../components/format.ts'
import { useWide } from '../components/hooks.ts'
import { lazyPart } from '../components/lazy-part.tsx'
import { setParams, useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { FiltersPanel, filtersOn, OptionsPanel } from './filters.tsx'
import { NewestMemories } from './newest.tsx'
import { Results } from './results.tsx'
import { readSettings } from './settings.ts'

const FirstRun = lazyPart(() => import('../first-run/first-run.tsx'))

/** Search as you type, with filters, the past, and two settings side by side. */
export default function SearchPage({ session }: PageProps) {
  const settings = readSettings(useLocation().params)
  const [counts, setCounts] = useState<Counts | null>(null)
  const on = filtersOn(settings)
  const isEmpty = settings.query === '' && on === 0 && settings.asOf === null && counts?.memories === 0
  return (
    <div class="page search-page">
      <h1 class="visually-hidden">Search</h1>
      <SearchField query={settings.query} />
      <OptionsPanel settings={settings} />
      <FiltersPanel settings={settings} counts={counts} isOpen={useWide(1_440)} />
      <div class="search-results">
        {isEmpty && <FirstRun session={session} />}
        {settings.query.trim() === '' ? (
          <NewestMemories settings={settings} onCounts={setCounts} />
        ) : (
          <Results settings={settings} onCounts={setCounts} />
        )}
      </div>
    </div>
  )
}

/**
 * The field that searches as it is typed into. "/" goes to it from anywhere, the down key from it into the hits; j and k
 * go from hit to hit from anywhere else.
 */
function SearchField({ query }: { readonly query: string }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const hits = document.querySelector('.hits')
      if ((event.key === 'j' || event.key === 'k') && hits !== null) moveInList(event, hits)
      if (event.key !== '/') return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return (
    <form role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="visually-hidden" for="query">
        Search the memories
      </label>
      <input
        ref={field}
        id="query"
        type="search"
        class="search-field"
        value={query}
        placeholder="Search by words and meaning: a question, “a phrase”, -without"
        autocomplete="off"
        spellcheck={false}
        aria-keyshortcuts="/"
        onInput={(event) => {
          const typed = event.currentTarget.value
          // "Back" leads to the page before, not through every letter.
          setParams({ q: typed === '' ? null : typed, limit: null, chosen: null }, { replace: true })
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          document.querySelector<HTMLElement>('[data-title]')?.focus()
        }}
      />
    </form>
  )
}

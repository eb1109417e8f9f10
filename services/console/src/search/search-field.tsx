import { useEffect, useRef } from 'preact/hooks'
import { setParams } from '../router/location.ts'

/** The field that searches as it is typed into. "/" goes to it from anywhere, the down key from it into the hits. */
export function SearchField({ query }: { readonly query: string }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof Element && event.target.closest('input, textarea, select') !== null
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
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
          setParams({ q: typed === '' ? null : typed, limit: null }, { replace: true })
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

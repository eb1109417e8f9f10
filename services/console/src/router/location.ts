import { useEffect, useState } from 'preact/hooks'

/*
 * The address is the state that people share and reload: a path for the page, parameters for what it shows. Pages read it
 * with `useLocation` and change it with `navigate` and `setParams`; nothing else keeps such state.
 */

/** The address of the page, without its host. */
export interface PageLocation {
  /** `/`, `/console/journal` */
  readonly path: string
  readonly params: URLSearchParams
}

const readers = new Set<() => void>()

const read = (): PageLocation => ({ path: location.pathname, params: new URLSearchParams(location.search) })

/** The address now. The component renders again when it changes. */
export function useLocation(): PageLocation {
  const [current, setCurrent] = useState(read)
  useEffect(() => {
    const update = () => setCurrent(read())
    readers.add(update)
    // It may have changed between the first render and this effect.
    update()
    return () => void readers.delete(update)
  }, [])
  return current
}

/**
 * Goes to another address of the console.
 * @param replace whether "back" skips the address that is left; default false
 */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  for (const update of readers) update()
}

/**
 * Changes parameters of the address, and keeps the others.
 * @param changes null takes one out; several values stand after one another
 */
export function setParams(
  changes: Readonly<Record<string, string | readonly string[] | null>>,
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  const params = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name)
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) params.append(name, one)
  }
  const search = params.toString()
  navigate(location.pathname + (search === '' ? '' : `?${search}`), { replace })
}

/** Follows "back" and "forward", and links to other pages of the console. Call it once. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    for (const update of readers) update()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    // With these, people want another tab, a window or a download.
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain || event.defaultPrevented || link.target !== '') return
    if (link.origin !== location.origin || !isPage(link.pathname)) return
    event.preventDefault()
    navigate(link.pathname + link.search)
    scrollTo(0, 0)
  })
}

const isPage = (path: string): boolean => path === '/' || path.startsWith('/console/')

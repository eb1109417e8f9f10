import { useEffect, useState } from 'preact/hooks'

/** How often the colours have changed, by the theme or the system. Who draws on a canvas draws again then. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    const note = () => setChanges((before) => before + 1)
    const chosen = new MutationObserver(note)
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', note)
    return () => {
      chosen.disconnect()
      system.removeEventListener('change', note)
    }
  }, [])
  return changes
}

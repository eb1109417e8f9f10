/** How the console looks: as the system says, or as its user chose. */
export type Theme = 'system' | 'light' | 'dark'

const STORED = 'daybook-theme'
const isTheme = (text: string | null): text is Theme =>
  text === 'light' || text === 'dark' || text === 'system'

/** The chosen theme. Default `system`. */
export function readTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  return isTheme(stored) ? stored : 'system'
}

/** Keeps a choice in this browser, and applies it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme)
  applyTheme(theme)
}

/** Sets `data-theme` of the document, from which the style takes its colours. */
export function applyTheme(theme: Theme = readTheme()): void {
  document.documentElement.dataset['theme'] = theme
}

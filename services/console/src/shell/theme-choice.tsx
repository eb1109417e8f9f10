import { useState } from 'preact/hooks'
import { chooseTheme, readTheme, type Theme } from './theme.ts'

/** Chooses between light, dark, and what the system says. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme)
  const choose = (chosen: Theme) => {
    chooseTheme(chosen)
    setTheme(chosen)
  }
  return (
    <label class="quiet-select">
      <span class="visually-hidden">Theme</span>
      <select value={theme} onChange={(event) => choose(event.currentTarget.value as Theme)}>
        <option value="system">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}

import { render } from 'preact'
import { App } from './shell/app.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
render(<App />, document.body)

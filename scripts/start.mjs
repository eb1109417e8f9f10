// Runs a service from its bundle: node scripts/start.mjs <service> [arguments]
import { pathToFileURL } from 'node:url'
import { freshBundle, freshConsole } from './fresh-bundle.mjs'

const [service, ...args] = process.argv.slice(2)
/** Those that serve the web console. */
const WITH_CONSOLE = ['daemon', 'gateway']

const [bundle, page] = await Promise.all([
  freshBundle(service),
  WITH_CONSOLE.includes(service) && process.env.DAYBOOK_CONSOLE !== 'off' ? freshConsole() : null,
])
const main = `${bundle}/main.js`
if (page !== null) process.env.DAYBOOK_CONSOLE_DIR ??= page
process.argv = [process.argv[0], main, ...args]
await import(pathToFileURL(main).href)

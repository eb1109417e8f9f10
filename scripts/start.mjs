// Runs a service from its bundle: node scripts/start.mjs <service> [arguments]
import { pathToFileURL } from 'node:url'
import { freshBundle } from './fresh-bundle.mjs'

const [service, ...args] = process.argv.slice(2)
const main = `${await freshBundle(service)}/main.js`
process.argv = [process.argv[0], main, ...args]
await import(pathToFileURL(main).href)

// Builds the console into services/console/dist, for images: `npm run build`.
import { bundleConsole } from './bundle-console.mjs'

const { first } = await bundleConsole(`${process.cwd()}/dist`, { logLevel: 'info' })
console.log(`The first screen has ${(first / 1_000).toFixed(1)} kB after gzip`)

// Bundles the service of the folder that it is run in into dist/, for images and packages: `npm run build`.
import { basename } from 'node:path'
import { bundle } from './bundle.mjs'

await bundle(basename(process.cwd()), `${process.cwd()}/dist`, { logLevel: 'info' })

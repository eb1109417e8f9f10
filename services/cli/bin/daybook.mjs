#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const starter = new URL('../../../scripts/fresh-bundle.mjs', import.meta.url)
const source = new URL('../src/main.ts', import.meta.url)

if (existsSync(source) && existsSync(starter)) {
  const { freshBundle } = await import(starter.href)
  await import(pathToFileURL(`${await freshBundle('cli')}/main.js`).href)
} else {
  // A packed CLI has no sources, only its bundle.
  await import(new URL('../dist/main.js', import.meta.url).href)
}

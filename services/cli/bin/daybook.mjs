#!/usr/bin/env node
import { existsSync } from 'node:fs'

const source = new URL('../src/main.ts', import.meta.url)

if (existsSync(source)) {
  const { register } = await import('tsx/esm/api')
  register()
  await import(source.href)
} else {
  // A packed CLI has no sources: it was bundled into one file.
  await import(new URL('../dist/main.js', import.meta.url).href)
}

#!/usr/bin/env node
// The command `daybook` of the npm package. Its syntax is plain, so that an old Node gets as far as the message.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`daybook: Node.js ${process.versions.node} is too old. Install 20.19 or newer.`)
  process.exitCode = 1
} else {
  // A URL, because a path of Windows (C:\…) cannot be imported.
  await import(new URL('../dist/cli/main.js', import.meta.url).href)
}

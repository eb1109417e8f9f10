// Loaded before the CLI (`node --import`): makes both outputs look like a terminal of 60 columns.
for (const stream of [process.stdout, process.stderr]) {
  Object.defineProperty(stream, 'isTTY', { value: true })
  Object.defineProperty(stream, 'columns', { value: 60 })
  // A terminal's stream has these; a pipe does not.
  stream.cursorTo = () => stream.write('\r')
  stream.moveCursor = () => true
  stream.clearLine = () => true
}

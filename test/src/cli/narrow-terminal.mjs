// Loaded before the CLI (`node --import`): both outputs are a terminal of 60 columns for it.
for (const stream of [process.stdout, process.stderr]) {
  Object.defineProperty(stream, 'isTTY', { value: true })
  Object.defineProperty(stream, 'columns', { value: 60 })
  // What a terminal's stream has, and a pipe has not.
  stream.cursorTo = () => stream.write('\r')
  stream.moveCursor = () => true
  stream.clearLine = () => true
}

// Loaded into every node process of a test run (NODE_OPTIONS, see vitest.config.ts).
const { appendFileSync } = require('node:fs')
const { join } = require('node:path')
const { isMainThread } = require('node:worker_threads')

const [, program = '', argument] = process.argv
const isDatabase = /embedded[/-](?:child\.ts|postgres\.js)$/u.test(program)
const isService =
  program.endsWith('scripts/start.mjs') && /^(?:daemon|gateway|projector-.*|reindex|sync)$/u.test(argument)

// The database of a daemon stays with what V8's baseline compiler makes of PGlite. Optimizing its hot functions takes more than a second of
// CPU time, more than most tests run in it: starting one and asking 400 queries took 2.3 s, and takes 0.9 s. Those of the pool serve many
// files, so for them it pays.
if (isDatabase && !argument.includes('daybook-pool-')) require('node:v8').setFlagsFromString('--liftoff-only')

// Each start takes 1 to 2 s of CPU time, so the run counts them.
if (isMainThread && (isDatabase || isService) && process.env.DAYBOOK_TEST_RUN)
  appendFileSync(
    join(process.env.DAYBOOK_TEST_RUN, 'starts'),
    `${isDatabase ? 'embedded database' : argument}\t${process.env.DAYBOOK_TEST_FILE ?? 'the setup'}\n`,
  )

// Workers that vitest ends by a signal run no handler of their exit. A daemon of theirs would go on for ever.
const owner = Number(process.env.DAYBOOK_TEST_OWNER)
if (isMainThread && isService && owner > 0)
  setInterval(() => {
    try {
      process.kill(owner, 0)
    } catch {
      process.kill(process.pid, 'SIGKILL')
    }
  }, 1_000).unref()

// Loaded into every node process of a test run (NODE_OPTIONS, see global-setup.ts). An embedded database then stays with what V8's
// baseline compiler makes of PGlite. Optimizing its hot functions takes more than a second of CPU time a database, in most tests
// more than they run in it: starting one and asking 400 queries took 2.3 s, and takes 0.9 s.
if (/embedded[/-](?:child\.ts|postgres\.js)$/u.test(process.argv[1] ?? ''))
  require('node:v8').setFlagsFromString('--liftoff-only')
